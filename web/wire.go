package web

import (
	"encoding/json"

	"github.com/gorilla/websocket"

	"github.com/burstlab/burstlab/lab/session"
	"github.com/burstlab/burstlab/views"
	"github.com/burstlab/burstlab/web/live"
)

// Types of the messages on a socket.
const (
	typeWhole   = "whole"
	typeFrame   = "frame"
	typeDone    = "done"
	typeError   = "error"
	typeCommand = "command"
	typeResume  = "resume"
)

// envelope stands before what views make of a state.
type envelope struct {
	Type    string `json:"type"`
	Seq     uint64 `json:"seq"`
	Viewers int    `json:"viewers"`
}

type wholeMessage struct {
	envelope
	views.Whole
}

type frameMessage struct {
	envelope
	views.Frame
}

// asked is a message from a client: a command with the client's own number for
// it, or the number of the last message that it has.
type asked struct {
	Type string `json:"type"`
	ID   int64  `json:"id"`
	Text string `json:"text"`
	Seq  uint64 `json:"seq"`
}

// answered is the answer to a command.
type answered struct {
	Type    string `json:"type"`
	ID      int64  `json:"id"`
	Message string `json:"message,omitempty"`
	Offset  *int   `json:"offset,omitempty"`
}

// message is a room's message, framed and compressed once for all sockets.
type message struct {
	prepared *websocket.PreparedMessage
	size     int
}

func (m *message) Size() int { return m.size }

// encoder makes the messages of every room.
var encoder = live.Encoder{
	Whole: func(info live.Info, s *session.State) (live.Message, error) {
		return encode(wholeMessage{envelope{typeWhole, info.Seq, info.Viewers}, views.WholeOf(s)})
	},
	Frame: func(info live.Info, s *session.State, first uint64) (live.Message, error) {
		return encode(frameMessage{envelope{typeFrame, info.Seq, info.Viewers}, views.FrameOf(s, first)})
	},
}

func encode(v any) (live.Message, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	prepared, err := websocket.NewPreparedMessage(websocket.TextMessage, text)
	if err != nil {
		return nil, err
	}
	return &message{prepared, len(text)}, nil
}
