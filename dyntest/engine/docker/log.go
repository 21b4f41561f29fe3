package docker

import (
	"fmt"
	"sync"

	"github.com/testcontainers/testcontainers-go/log"
)

// containerLog wraps testcontainers' logger, which logs its settings in every test binary and a dozen lines for every
// container. It passes everything on, except what is logged during quietly.
var containerLog = &heldLog{next: log.Default()}

// The logger is a plain variable that testcontainers reads from any goroutine. Without a race, it can only be set before
// there are any.
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

// quietly calls f, and passes on testcontainers' log only if f fails. It turns a panic into an error: several functions
// of testcontainers panic if they find no usable Docker.
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
