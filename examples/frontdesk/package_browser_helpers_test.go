package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/dyntest/world"

	"github.com/dynastay/dynastay/examples/frontdesk/desktest"
)

var (
	browser = flag.String("browser", "", "a Chromium or Chrome, for the tests that drive one")
	axe     = flag.String("axe", "", "the file axe.min.js of axe-core, which examines the pages")
	shots   = flag.String("shots", "", "a folder for the pictures of the documentation")
)

// town is the service with a world, as a browser finds it.
type town struct {
	*desktest.Service
	// Requests with this method and path are carried out, and their answers lost: a browser repeats one by itself if it had been sent
	// on a connection that was open already.
	lose atomic.Pointer[string]
}

// openTown serves a world of a few hotels until the test ends.
func openTown(t *testing.T) *town {
	t.Helper()
	service := desktest.New(t, world.Options{Seed: 1, Properties: 4, Users: 20, Nights: 20, Occupancy: 0.4, Units: true}, dyntest.Streams())
	_, err := employ(t.Context(), service.House, service.World)
	require.NoError(t, err)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	service.URL = "http://" + listener.Addr().String()
	w := &town{Service: service}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, newService(w.House, w.World, w.Streams, 100*time.Millisecond), listener, w.losing)
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended)
	})
	return w
}

// losing breaks the connection instead of answering, if the test says so.
func (w *town) losing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		which := w.lose.Load()
		if which == nil || *which != r.Method+" "+r.URL.Path {
			next.ServeHTTP(rw, r)
			return
		}
		next.ServeHTTP(unheard{http.Header{}}, r)
		panic(http.ErrAbortHandler)
	})
}

type unheard struct{ header http.Header }

func (u unheard) Header() http.Header         { return u.header }
func (u unheard) Write(p []byte) (int, error) { return len(p), nil }
func (u unheard) WriteHeader(int)             {}

// chromium starts a browser for the test. Without the flag, the test is skipped: it needs a program that Go cannot fetch.
func chromium(t *testing.T) context.Context {
	t.Helper()
	if *browser == "" {
		t.Skip("-browser names no Chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(*browser), chromedp.NoSandbox, chromedp.Flag("lang", "en"))
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Do(ctx)) // which starts it
	return ctx
}

// tab is a person with a browser of their own, who has no cookies of others.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string
}

func (w *town) tab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	ctx, leave := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(leave)
	b := &tab{t, ctx, w.URL}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(1200, 900)))
	return b
}

// patience is how long a person waits for what a page should show.
const patience = 20 * time.Second

func (b *tab) try(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		require.NoError(b.t, err, "%s, on the page\n%s", what, page)
	}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.try("open "+path, chromedp.Navigate(b.base+path))
}

// press clicks a button or a link with a text, and waits for the page that it leads to.
func (b *tab) press(text string) {
	b.t.Helper()
	b.pressAt(fmt.Sprintf(`//main//*[self::button or self::a][normalize-space()=%q]`, text))
}

// pressAt finds and clicks in one step: a live page may move what a mouse aims at.
func (b *tab) pressAt(at string) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, patience)
	defer stop()
	click := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Evaluate[bool](fmt.Sprintf(
			`(document.evaluate(%q, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue.click(), true)`, at))(ctx, target)
		return chromedp.Void{}, err
	}
	if _, err := chromedp.RunResponse(ctx, chromedp.WaitReady(at), click); err != nil {
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		require.NoError(b.t, err, "press %s, on the page\n%s", at, page)
	}
}

// fill enters something in the first field with a label, as if it was typed.
func (b *tab) fill(label, value string) {
	b.t.Helper()
	b.fillAt(0, label, value)
}

// fillAt is fill for a page that has several such fields.
func (b *tab) fillAt(which int, label, value string) {
	b.t.Helper()
	at := fmt.Sprintf(`//label[starts-with(normalize-space(), %[1]q)]//*[self::input or self::select or self::textarea] | //*[@aria-label=%[1]q]`, label)
	enter := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		done, err := chromedp.Evaluate[bool](fmt.Sprintf(`(() => {
			const field = document.evaluate(%q, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE).snapshotItem(%d);
			field.value = %q;
			field.dispatchEvent(new Event("input", { bubbles: true }));
			return field.value === %[3]q;
		})()`, at, which, value))(ctx, target)
		if err == nil && !done {
			err = errors.New("it cannot be entered")
		}
		return chromedp.Void{}, err
	}
	b.try("fill in "+label, chromedp.WaitReady(at), enter)
}

// sees waits until the page shows a text.
func (b *tab) sees(text string) {
	b.t.Helper()
	b.try("see "+text, chromedp.WaitReady(fmt.Sprintf(`//body[contains(normalize-space(.), %q)]`, text)))
}

func (b *tab) text() string {
	b.t.Helper()
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	require.NoError(b.t, err)
	return text
}

// signIn signs somebody in.
func (b *tab) signIn(email, to string) {
	b.t.Helper()
	b.open("/sign-in?back=" + to)
	b.fill("Email", email)
	b.fill("Password", password)
	b.press("Sign in")
}

// signUp makes an account, whose user has signed in then.
func (b *tab) signUp(first string) {
	b.t.Helper()
	b.open("/sign-in")
	b.fill("First name", first)
	b.fill("Last name", "Byron")
	b.fillAt(1, "Email", strings.ToLower(first)+"@example.com")
	b.fill("Password, at least 10 characters", password)
	b.press("Create the account")
}

// finding is a rule of axe-core that a page breaks.
type finding struct {
	ID, Help string
	Nodes    []struct{ HTML string }
}

// pictures are the pages of which the documentation has a picture.
var pictures = []string{"plan", "prices", "found"}

// examine lets axe-core look at the page, dark and light, looks whether it fits on a narrow screen, and takes a picture of it, if there
// should be one.
func (b *tab) examine(name string) {
	b.t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		scheme := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
			features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
			_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return chromedp.Void{}, err
		}
		b.try("a scheme of colours", scheme)
		b.axe(name)
	}
	b.fits(name)
	if *shots != "" && slices.Contains(pictures, name) {
		picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
		require.NoError(b.t, err)
		require.NoError(b.t, os.WriteFile(filepath.Join(*shots, "frontdesk-"+name+".png"), picture, 0o644))
	}
}

// fits looks whether the page fits on a narrow screen: only tables scroll sideways, each by itself.
func (b *tab) fits(name string) {
	b.t.Helper()
	b.try("a narrow screen", chromedp.EmulateViewport(360, 800))
	wide, err := chromedp.Run(b.ctx, chromedp.Evaluate[int]("document.documentElement.scrollWidth"))
	require.NoError(b.t, err)
	assert.LessOrEqual(b.t, wide, 360, "%s on a narrow screen", name)
	b.try("a wide screen", chromedp.EmulateViewport(1200, 900))
}

func (b *tab) axe(name string) {
	b.t.Helper()
	if *axe == "" {
		return
	}
	source, err := os.ReadFile(*axe)
	require.NoError(b.t, err)
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](string(source)+
		`; axe.run().then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err)
	var found []finding
	require.NoError(b.t, json.Unmarshal([]byte(text), &found))
	for _, f := range found {
		assert.Fail(b.t, "axe-core: "+f.ID, "%s: %s, such as %s", name, f.Help, f.Nodes[0].HTML)
	}
}
