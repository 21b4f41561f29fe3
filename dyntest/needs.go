package dyntest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
)

// needsDirectory is where this module's own tests note what each method of a repository needs permissions for; "" for
// nowhere. The command in internal/testing/needs compares it with what the policies are made of; see
// docs/decisions/0031-permissions.md.
var needsDirectory = os.Getenv("DYNTEST_NEEDS")

var notes struct {
	sync.Mutex
	lines map[string]bool
	file  *os.File
}

// noteNeeds is the stage that notes them.
func (d *DB) noteNeeds(x *exchange, next hop) (*http.Response, error) {
	if needsDirectory != "" {
		methods, outer := callingMethods()
		in, noted := x.Context().Value(notedKey{}).(notedIn)
		if noted && outer != "" {
			if err := note(outer + "\t@" + in.operation); err != nil {
				return nil, err
			}
		}
		if in.alone { // the test asks for no capacity, and may compare the request
			body, err := edit(x.body, func(request map[string]json.RawMessage) error {
				delete(request, "ReturnConsumedCapacity")
				return nil
			})
			if err != nil {
				return nil, err
			}
			x = x.with(body)
		}
		if err := d.noteNeedsOf(methods, x); err != nil {
			return nil, err
		}
	}
	return next(x)
}

func (d *DB) noteNeedsOf(methods []string, x *exchange) error {
	needs, err := d.needs(x.operation, x.body)
	if err != nil {
		return err
	}
	for _, method := range methods {
		for _, n := range needs {
			if err := note(fmt.Sprintf("%s\t%s", method, n.Need)); err != nil {
				return err
			}
		}
	}
	return nil
}

// note writes a line, if it is not there yet.
func note(line string) (err error) {
	notes.Lock()
	defer notes.Unlock()
	if notes.lines[line] {
		return nil
	}
	if notes.lines == nil {
		notes.lines = map[string]bool{}
		if notes.file, err = os.CreateTemp(needsDirectory, filepath.Base(os.Args[0])+"-*.txt"); err != nil {
			return err
		}
	}
	notes.lines[line] = true
	_, err = notes.file.WriteString(line + "\n")
	return err
}

// noted is an observer that puts the name of the outermost operation into the context, for the stage that notes it with
// the method that was called.
type noted struct{ alone bool } // the DB has no other observer

type notedKey struct{}

type notedIn struct {
	noted
	operation string
}

func (n noted) Begin(ctx context.Context, operation string) (context.Context, func(dynastay.Ended)) {
	if ctx.Value(notedKey{}) == nil {
		ctx = context.WithValue(ctx, notedKey{}, notedIn{n, operation})
	}
	return ctx, func(dynastay.Ended) {}
}

func (noted) Request(context.Context, dynastay.Call) {}

const streamConsumer = "entity/stream/consumer"

var (
	repository = regexp.MustCompile(`^(availability|bookings|properties|reviews|users)(/|$)`)
	testCode   = regexp.MustCompile(`_test$|^(internal/testing|dyntest|examples)/`) // what passes functions as tests do
)

// callingMethods returns the exported methods of repositories that send the request, several if they call each other: a
// program that calls one of them needs the permission. But an eraser is passed to the method that calls it, by a program
// that has its repository; outer is the outermost one. For what package consumer sends itself, and not in its handlers, that is Consumer.Run. There is
// none when a test asks for a page of a list.
//
// With GODEBUG=tracebackancestors=10, it also finds those that have started the goroutine that sends the request.
func callingMethods() (methods []string, outer string) {
	var found []string
	eraser, within := false, -1 // how many were found within a write
search:
	for function, file := range callers {
		if function == "github.com/dynastay/dynastay.(*DB).Write" {
			within = len(found)
		}
		function, ours := strings.CutPrefix(function, "github.com/dynastay/dynastay/")
		if !ours {
			continue
		}
		dir, name := splitFunction(function)
		switch {
		case dir == "dyntest":
		case strings.HasSuffix(file, "_test.go") || testCode.MatchString(dir):
			break search // a function that a test has passed to a method is the test's
		case repository.MatchString(dir):
			passed := strings.HasPrefix(name, "Eraser.")
			if eraser && !passed && name != "" {
				break search
			}
			eraser = eraser || passed
			if name != "" {
				found = append(found, dir+"."+name)
			}
		case dir == streamConsumer && found == nil:
			return []string{streamConsumer + ".Consumer.Run"}, ""
		}
	}
	if len(found) > max(within, 0) { // otherwise a test writes what an Op method returned, and all that is found reads for it
		outer = found[len(found)-1]
	}
	found = withoutCallees(found)
	return slices.Compact(slices.Sorted(slices.Values(found))), outer
}

// withoutCallees leaves out the methods that only call a function that their caller has passed to them: those between two
// methods of another package.
func withoutCallees(found []string) (kept []string) {
	of := func(method string) string { dir, _, _ := strings.Cut(method, "."); return dir }
	for i, method := range found {
		within := slices.ContainsFunc(found[:i], func(inner string) bool {
			return of(inner) != of(method) && slices.ContainsFunc(found[i:], func(outer string) bool { return of(outer) == of(inner) })
		})
		if !within {
			kept = append(kept, method)
		}
	}
	return kept
}

// callers calls yield with the functions that call each other, the innermost first, and the file of each; first those of
// this goroutine, then those that have started it.
func callers(yield func(function, file string) bool) {
	all := make([]uintptr, 1000)
	frames := runtime.CallersFrames(all[:runtime.Callers(2, all)])
	for more := true; more; {
		var frame runtime.Frame
		if frame, more = frames.Next(); !yield(frame.Function, frame.File) {
			return
		}
	}
	// The text leaves out the middle of a deep stack, such as one within the SDK.
	text := make([]byte, 1<<16)
	_, text, _ = bytes.Cut(text[:runtime.Stack(text, false)], []byte("[originating from "))
	for _, call := range called.FindAllSubmatch(text, -1) {
		if !yield(string(call[1]), string(call[2])) {
			return
		}
	}
}

// called finds a function, and the file that it is in.
var called = regexp.MustCompile(`(?m)^(\S+)\(.*\)\n\t(\S+):\d+`)

// splitFunction splits the name of a function such as "bookings.(*Repository).Cancel.func1" into "bookings" and
// "Repository.Cancel". The second part is "" if it is not exported.
func splitFunction(function string) (dir, name string) {
	slash := strings.LastIndex(function, "/")
	dot := slash + 1 + strings.Index(function[slash+1:], ".")
	dir = function[:dot]
	words := strings.Split(strings.ReplaceAll(function[dot+1:], "[...]", ""), ".")
	if method := strings.HasPrefix(words[0], "("); method && len(words) > 1 && token.IsExported(words[1]) {
		name = words[0] + "." + words[1]
	} else if !method && token.IsExported(words[0]) {
		name = words[0]
		if len(words) > 1 && token.IsExported(words[1]) { // a method of a value
			name += "." + words[1]
		}
	}
	name, _, _ = strings.Cut(name, "-") // such as "Get-fm" and "Erase-range1"
	return dir, strings.TrimSuffix(strings.NewReplacer("(*", "", ")", "").Replace(name), "Op")
}
