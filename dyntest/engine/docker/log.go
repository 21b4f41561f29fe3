package docker

import (
	"fmt"
	"sync"

	"github.com/testcontainers/testcontainers-go/log"
)

// containerLog wraps testcontainers' logger, which greets every test binary with its settings and every
// container with a dozen lines. It passes everything on, except from what runs quietly.
var containerLog = &heldLog{next: log.Default()}

// The logger is a plain variable that testcontainers reads from any goroutine. It can only be set without a race
// before there are any.
func init() { log.SetDefault(containerLog) }

type heldLog struct {
	next log.Logger

	mu   sync.Mutex
	held []string
	hold int
}

// Printf implements [log.Logger].
func (l *heldLog) Printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hold > 0 {
		l.held = append(l.held, fmt.Sprintf(format, args...))
		return
	}
	l.next.Printf(format, args...)
}

// quietly calls f, and lets testcontainers' log out only if f fails. It turns a panic into an error: several functions
// of testcontainers panic where they find no usable Docker.
func (l *heldLog) quietly(f func() error) (err error) {
	l.mu.Lock()
	l.hold++
	l.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		l.release(err != nil)
	}()
	return f()
}

func (l *heldLog) release(show bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold--
	if show {
		for _, line := range l.held {
			l.next.Printf("%s", line)
		}
	}
	if show || l.hold == 0 {
		l.held = nil
	}
}
