// What the server sends, as views/frame.go writes it.

interface RoomInfo { name: string }

interface Lane {
  name: string;
  title: string;
  algorithm: string;
  summary: string;
  windows?: number;
  stays?: number;
  full: number;
}

interface Meter {
  words: string;
  note?: string;
  fill: number;
  under?: number;
  marks?: number[];
  hand: number;
  window?: [begin: number, end: number];
}

interface Score { c: string[]; over?: boolean }

/** Decided requests, a column an attribute; see views.Requests. */
interface Requests {
  first: number;
  at?: number[];
  v?: string;
  w?: number[];
  k?: [from: number, key: string][];
  c?: [from: number, cost: number][];
  s?: [from: number, service: number][];
}

interface Frame extends Requests {
  gen: number;
  now: number;
  paused: boolean;
  pace: string;
  stream?: string;
  meters: Meter[];
  levels?: string;
  ahead?: string;
  undecided?: string;
  held: string;
  scores?: Score[];
}

/** The lanes' levels over a stretch of time; see views.Levels. */
interface Levels { gen: number; at: number[] | null; v: number[] | null; e?: (number[] | null)[] }

interface Whole extends Frame { lanes: Lane[] }

interface PageData extends Whole { room: RoomInfo; seq: number; looking: number }

type Message =
  | ({ type: "whole"; seq: number; viewers: number } & Whole)
  | ({ type: "frame"; seq: number; viewers: number } & Frame)
  | { type: "done"; id: number }
  | { type: "error"; id: number; message: string; offset?: number };
