// Package e2e holds the tests of the page in a real Chromium, against a real
// server. They have the build tag e2e, because they need a browser and
// Playwright's driver: `make e2e` sets both up.
package e2e
