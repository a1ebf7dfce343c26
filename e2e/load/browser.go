package main

import (
	"fmt"
	"os"
	"time"

	"github.com/playwright-community/playwright-go"
)

// page is the room in a real Chromium.
type page struct {
	playwright.Page
	driver  *playwright.Playwright
	browser playwright.Browser
}

func openBrowser(room string) (*page, error) {
	driver, err := playwright.Run(&playwright.RunOptions{SkipInstallBrowsers: true})
	if err != nil {
		return nil, err
	}
	browser, err := driver.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(os.Getenv("BURSTLAB_CHROMIUM")),
		Args:           []string{"--no-sandbox", "--disable-gpu"},
	})
	if err != nil {
		return nil, err
	}
	p, err := browser.NewPage()
	if err != nil {
		return nil, err
	}
	if _, err := p.Goto(room); err != nil {
		return nil, err
	}
	return &page{p, driver, browser}, nil
}

// prepare makes the clicks tell themselves from the load: a request that costs
// more than any policy passes counts up "never".
func (p *page) prepare() error {
	if err := p.GetByText("Key, cost, service time").Click(); err != nil {
		return err
	}
	return p.GetByLabel("Cost").First().Fill("1000")
}

// clickAndWatch clicks "Send one" until the time is over and returns how many
// milliseconds each decision took to be on the screen: from the click until the
// browser has painted the score that counts it.
const clickAndWatch = `async (span) => {
	const cell = () => document.querySelector('[data-score="token"] [data-cell="never"]');
	const button = document.querySelector('button[data-send="one"]');
	const took = [];
	for (const end = performance.now() + span; performance.now() < end;) {
		const before = cell().textContent;
		const start = performance.now();
		await new Promise((painted) => {
			const observer = new MutationObserver(() => {
				if (cell().textContent === before) return;
				observer.disconnect();
				requestAnimationFrame(() => {
					const channel = new MessageChannel();
					channel.port1.onmessage = painted;
					channel.port2.postMessage(0);
				});
			});
			observer.observe(document.querySelector("#score"), { childList: true, subtree: true, characterData: true });
			button.click();
		});
		took.push(performance.now() - start);
		await new Promise((rested) => setTimeout(rested, 130 + 70 * Math.random()));
	}
	return took;
}`

func (p *page) clicks(span time.Duration) ([]time.Duration, error) {
	answer, err := p.Evaluate(clickAndWatch, float64(span.Milliseconds()))
	if err != nil {
		return nil, err
	}
	list, ok := answer.([]any)
	if !ok {
		return nil, fmt.Errorf("the browser answered %T; expected a list", answer)
	}
	var took []time.Duration
	for _, v := range list {
		switch ms := v.(type) {
		case float64:
			took = append(took, time.Duration(ms*float64(time.Millisecond)))
		case int:
			took = append(took, time.Duration(ms)*time.Millisecond)
		}
	}
	return took, nil
}

func (p *page) close() {
	p.browser.Close()
	p.driver.Stop()
}
