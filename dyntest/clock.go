package dyntest

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Clock is the clock of one test. It is used by the test's DB and Direct, and by every DB returned by [DB.Open] whose
// options have no Clock. It follows the machine's clock until it is set. It is safe for concurrent use.
//
// A Clock in the options of [With] replaces it: Now then reads that clock, and Set and Advance panic.
type Clock struct {
	mu     sync.Mutex
	theirs func() time.Time // that of With
	stands bool
	at     time.Time     // while it stands still
	ahead  time.Duration // of the machine's clock, while it runs
}

// newClock returns the clock that the options ask for.
func (c *config) newClock() (*Clock, error) {
	switch {
	case c.at != nil && c.options.Clock != nil:
		return nil, errors.New("dyntest: At cannot be combined with a Clock in the options of With")
	case c.at != nil:
		return &Clock{stands: true, at: *c.at}, nil
	}
	return &Clock{theirs: c.options.Clock}, nil
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	if c.theirs != nil {
		return c.theirs()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stands {
		return c.at
	}
	return time.Now().Add(c.ahead)
}

// Set stops the clock at t, which may be earlier than the current time. It panics if [With] set a Clock.
func (c *Clock) Set(t time.Time) {
	c.own("Set")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stands, c.at = true, t
}

// Advance moves the clock forward by d. A running clock continues to run, and a clock that was stopped by Set or [At]
// remains stopped. It panics if d is negative, or if [With] set a Clock.
func (c *Clock) Advance(d time.Duration) {
	c.own("Advance")
	if d < 0 {
		panic(fmt.Sprintf("dyntest.Clock.Advance: d must not be negative, got %v; use Set to move the clock back", d))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stands {
		c.at = c.at.Add(d)
	} else {
		c.ahead += d
	}
}

func (c *Clock) own(method string) {
	if c.theirs != nil {
		panic("dyntest.Clock." + method + ": is not supported if the options of With have a Clock; use At instead")
	}
}
