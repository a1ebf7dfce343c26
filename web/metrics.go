package web

import (
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics: GET /metrics is the server's figures. None of them names a room or a
// client.
func (s *Server) metrics() echo.HandlerFunc {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	gauge := func(name, help string, value func() float64) {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "burstlab", Name: name, Help: help}, value))
	}
	counter := func(name, help string, labels prometheus.Labels, value func() uint64) {
		opts := prometheus.CounterOpts{Namespace: "burstlab", Name: name, Help: help, ConstLabels: labels}
		registry.MustRegister(prometheus.NewCounterFunc(opts, func() float64 { return float64(value()) }))
	}
	stats := s.rooms.Stats()
	gauge("rooms", "Open rooms.", func() float64 { return float64(stats.Rooms.Load()) })
	gauge("viewers", "Viewers in all rooms.", func() float64 { return float64(stats.Viewers.Load()) })
	gauge("streaming_per_second", "Requests a second that the streams of all rooms send.", func() float64 { return float64(stats.Streaming.Load()) })
	gauge("room_bytes", "Memory that all rooms take, about.", func() float64 { return float64(stats.Bytes.Load()) })
	counter("requests_decided_total", "Requests decided, each by all policies of its room.", nil, stats.Decisions.Load)
	counter("frames_total", "Messages made for the viewers of a room, each once for all of them.", nil, stats.Frames.Load)
	counter("frame_bytes_total", "Length of those messages before compression.", nil, stats.FrameBytes.Load)
	counter("viewers_dropped_total", "Times that a viewer fell behind and got a whole.", nil, stats.Dropped.Load)
	counter("rooms_too_heavy_total", "Rooms ended because they took too much memory.", nil, stats.TooHeavy.Load)
	counter("room_panics_total", "Rooms ended by a panic.", nil, stats.Panics.Load)
	for _, g := range s.guards.all() {
		counter("refused_total", "Requests that the server refused to its own clients.",
			prometheus.Labels{"allowance": g.policy.Name}, g.refused.Load)
	}
	return echo.WrapHandler(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
}
