package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"
)

// watchFrames runs before the page's own scripts. It notes when each animation
// frame began and how long its callbacks took, the long tasks, and when the
// first script of the page ran.
const watchFrames = `
window.watched = { at: [], work: [], long: [], on: false, script: 0 };
new PerformanceObserver((list) => {
	for (const e of list.getEntries()) if (watched.on) watched.long.push(e.duration);
}).observe({ type: "longtask" });
const ask = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = (f) => ask((ms) => {
	const begun = performance.now();
	watched.script ||= begun;
	f(ms);
	if (!watched.on) return;
	watched.at.push(ms);
	watched.work.push(performance.now() - begun);
});
`

// frames measures how smoothly one page shows a room, with a quiet stream and
// with a dense one, and what the page weighs. With long it watches the memory of
// a dense page for that time.
func frames(room string, rate int, span, long time.Duration) error {
	p, err := openBrowser("about:blank")
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.SetViewportSize(1440, 900); err != nil {
		return err
	}
	if err := p.AddInitScript(playwright.Script{Content: playwright.String(watchFrames)}); err != nil {
		return err
	}
	if _, err := p.Goto(room); err != nil {
		return err
	}
	if err := p.prepare(); err != nil {
		return err
	}
	paint, err := p.Evaluate(`() => {
		const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0;
		const scripts = performance.getEntriesByType("resource").filter((e) => e.name.endsWith(".js"));
		const size = scripts.reduce((n, e) => n + e.encodedBodySize, 0);
		return scripts.length + " scripts, " + (size / 1000).toFixed(1) + " kB compressed; first contentful paint at " + paint.toFixed(0) + " ms, first frame of a script at " + watched.script.toFixed(0) + " ms";
	}`)
	if err != nil {
		return err
	}
	fmt.Printf("opening                      %v\n", paint)
	for _, load := range []struct {
		name   string
		rate   int
		before time.Duration
	}{{"a quiet room, 1 request/s", 1, 2 * time.Second}, {fmt.Sprintf("%d requests/s", rate), rate, 11 * time.Second}} {
		if err := command(room, fmt.Sprintf("stream %d/s", load.rate)); err != nil {
			return err
		}
		time.Sleep(load.before) // until the view is full
		rest := func() error { time.Sleep(span); return nil }
		if err := p.smooth(load.name, rest); err != nil {
			return err
		}
		clicks, err := p.clicks(span / 2)
		if err != nil {
			return err
		}
		fmt.Printf("  click to painted decision  %s (%d clicks)\n", spread(clicks), len(clicks))
	}
	if err := p.smooth(fmt.Sprintf("%d requests/s, zooming and moving", rate), func() error { return p.lookAround(span) }); err != nil {
		return err
	}
	if long > 0 {
		return p.memory(long)
	}
	return nil
}

// lookAround zooms and moves the time line for a time, by keys and wheel.
func (p *page) lookAround(span time.Duration) error {
	track, err := p.Locator("[data-track=lane]").First().BoundingBox()
	if err != nil {
		return err
	}
	if err := p.Mouse().Move(track.X+track.Width/2, track.Y+track.Height/2); err != nil {
		return err
	}
	for end := time.Now().Add(span); time.Now().Before(end); {
		for _, key := range []string{"-", "-", "-", ",", ",", ".", "+", "+", "+", "+", ",", "-"} {
			if err := p.Keyboard().Press(key); err != nil {
				return err
			}
			time.Sleep(250 * time.Millisecond)
		}
		if err := p.Keyboard().Down("Control"); err != nil {
			return err
		}
		for i := range 40 {
			if err := p.Mouse().Wheel(0, []float64{40, -40}[i/20]); err != nil {
				return err
			}
			time.Sleep(20 * time.Millisecond)
		}
		if err := p.Keyboard().Up("Control"); err != nil {
			return err
		}
		if err := p.Keyboard().Press("Escape"); err != nil { // follows again
			return err
		}
	}
	return nil
}

// smooth watches the page's frames while something is done.
func (p *page) smooth(name string, do func() error) error {
	begun := time.Now()
	if _, err := p.Evaluate(`() => { Object.assign(watched, { at: [], work: [], long: [], on: true }); }`); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	answer, err := p.Evaluate(`() => {
		watched.on = false;
		const requests = document.querySelector('[data-score="token"] [data-cell="sent"]').textContent;
		return JSON.stringify({ at: watched.at, work: watched.work, long: watched.long, requests });
	}`)
	if err != nil {
		return err
	}
	span := time.Since(begun).Round(100 * time.Millisecond)
	var seen struct {
		At, Work, Long []float64
		Requests       string
	}
	if err := json.Unmarshal([]byte(fmt.Sprint(answer)), &seen); err != nil {
		return err
	}
	var gaps []float64
	for i := 1; i < len(seen.At); i++ {
		gaps = append(gaps, seen.At[i]-seen.At[i-1])
	}
	over := func(limit float64) string {
		n := 0
		for _, gap := range gaps {
			if gap > limit {
				n++
			}
		}
		return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(max(1, len(gaps))))
	}
	slices.Sort(gaps)
	slices.Sort(seen.Work)
	at := func(d []float64, part int) float64 {
		if len(d) == 0 {
			return 0
		}
		return d[(len(d)-1)*part/100]
	}
	fmt.Printf("\n%s (%s sent), %v\n", name, seen.Requests, span)
	fmt.Printf("  frames a second            %.1f\n", float64(len(seen.At))/span.Seconds())
	// A frame that is a little late by the clock is not lost: half a frame is.
	fmt.Printf("  frames over 16.7 ms        %s by the clock, lost (over 25 ms) %s, over 50 ms %s\n", over(16.8), over(25), over(50))
	fmt.Printf("  time between frames        p50 %.1f ms, p95 %.1f ms, p99 %.1f ms\n", at(gaps, 50), at(gaps, 95), at(gaps, 99))
	fmt.Printf("  script in a frame          p50 %.1f ms, p95 %.1f ms, p99 %.1f ms\n", at(seen.Work, 50), at(seen.Work, 95), at(seen.Work, 99))
	longest := 0.0
	for _, d := range seen.Long {
		longest = max(longest, d)
	}
	fmt.Printf("  tasks over 50 ms           %d, longest %.0f ms\n", len(seen.Long), longest)
	return nil
}

// memory tells the page's heap every half minute.
func (p *page) memory(span time.Duration) error {
	cdp, err := p.Context().NewCDPSession(p.Page)
	if err != nil {
		return err
	}
	if _, err := cdp.Send("Performance.enable", nil); err != nil {
		return err
	}
	fmt.Printf("\nmemory of the dense page, after collecting garbage\n")
	for passed := time.Duration(0); passed <= span; passed += 30 * time.Second {
		if _, err := cdp.Send("HeapProfiler.collectGarbage", nil); err != nil {
			return err
		}
		answer, err := cdp.Send("Performance.getMetrics", nil)
		if err != nil {
			return err
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		var told struct {
			Metrics []struct {
				Name  string
				Value float64
			}
		}
		if err := json.Unmarshal(text, &told); err != nil {
			return err
		}
		var parts []string
		for _, m := range told.Metrics {
			switch m.Name {
			case "JSHeapUsedSize":
				parts = append(parts, fmt.Sprintf("heap %.1f MB", m.Value/1e6))
			case "Nodes":
				parts = append(parts, fmt.Sprintf("%.0f nodes", m.Value))
			}
		}
		fmt.Printf("  %-26v %s\n", passed, strings.Join(parts, ", "))
		if passed < span {
			time.Sleep(30 * time.Second)
		}
	}
	return nil
}
