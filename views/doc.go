// Package views turns the state of a session into what a person sees: view
// models, all wording and formatting, and the templ components that lay them
// out.
//
// Everything here is a pure function of what it is given. The page's first
// paint, the socket's first message and every later frame come from the same
// functions ([WholeOf], [FrameOf]), so a page without script and a page in
// mid-run say the same. The package knows neither the server nor the rooms.
package views
