package dyntest

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// needsDirectory is where this module's own tests note what each method of a repository needs permissions for; "" for
// nowhere. The command in internal/testing/needs compares it with what the policies are made of.
var needsDirectory = os.Getenv("DYNTEST_NEEDS")

var noted struct {
	sync.Mutex
	lines map[string]bool
	file  *os.File
}

// noteNeeds is the stage that notes them.
func (d *DB) noteNeeds(x *exchange, next hop) (*http.Response, error) {
	if needsDirectory != "" {
		if method := callingMethod(); method != "" {
			if err := d.noteNeedsOf(method, x); err != nil {
				return nil, err
			}
		}
	}
	return next(x)
}

func (d *DB) noteNeedsOf(method string, x *exchange) error {
	needs, err := d.needs(x.operation, x.body)
	if err != nil {
		return err
	}
	noted.Lock()
	defer noted.Unlock()
	for _, n := range needs {
		line := fmt.Sprintf("%s\t%s\n", method, n.Need)
		if noted.lines[line] {
			continue
		}
		if noted.lines == nil {
			noted.lines = map[string]bool{}
			if noted.file, err = os.CreateTemp(needsDirectory, filepath.Base(os.Args[0])+"-*.txt"); err != nil {
				return err
			}
		}
		noted.lines[line] = true
		if _, err := noted.file.WriteString(line); err != nil {
			return err
		}
	}
	return nil
}

const (
	module         = "github.com/dynastay/dynastay/"
	streamConsumer = "entity/stream/consumer"
)

var repository = regexp.MustCompile(`^(availability|bookings|properties|reviews|users)(/|$)`)

// callingMethod returns the exported method of a repository that sends the request, the outermost one if repositories
// call each other. For what package consumer sends itself, and not in its handlers, that is Consumer.Run. It returns ""
// if the stack has neither, as when a test asks for a page of a list.
func callingMethod() (found string) {
	stack := make([]uintptr, 200)
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack)])
	inner := true // no frame of a test or of a repository yet
	for {
		frame, more := frames.Next()
		function, ours := strings.CutPrefix(frame.Function, module)
		switch {
		case !ours || strings.HasPrefix(function, "dyntest"):
		case strings.HasSuffix(frame.File, "_test.go"):
			inner = false
		default:
			dir, name := splitFunction(function)
			switch {
			case repository.MatchString(dir) && name != "":
				found, inner = dir+"."+name, false
			case repository.MatchString(dir):
				inner = false
			case dir == streamConsumer && inner:
				return streamConsumer + ".Consumer.Run"
			}
		}
		if !more {
			return found
		}
	}
}

// splitFunction splits the name of a function such as "bookings.(*Repository).Cancel.func1" into "bookings" and
// "Repository.Cancel". The second part is "" if it is not exported.
func splitFunction(function string) (dir, name string) {
	slash := strings.LastIndex(function, "/")
	dot := slash + 1 + strings.Index(function[slash+1:], ".")
	dir = function[:dot]
	for _, word := range strings.Split(strings.ReplaceAll(function[dot+1:], "[...]", ""), ".") {
		word, _, _ = strings.Cut(strings.Trim(word, "(*)"), "-") // such as "Get-fm" and "Erase-range1"
		if first, _ := utf8.DecodeRuneInString(word); !unicode.IsUpper(first) {
			break
		}
		name = strings.TrimPrefix(name+"."+word, ".")
	}
	if strings.Contains(function[dot:], "(") && !strings.Contains(name, ".") {
		return dir, "" // an unexported method of an exported type
	}
	return dir, strings.TrimSuffix(name, "Op")
}
