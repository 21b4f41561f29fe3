package live

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

func of(property string) func(About) bool {
	return func(a About) bool { return a.PropertyID == property }
}

// woken reports whether a watch has been told of something.
func woken(w *Watch) bool {
	select {
	case <-w.Changed:
		return true
	default:
		return false
	}
}

// Who watches is told of what they want to know, once for several changes, until they leave.
func TestHubTells(t *testing.T) {
	t.Parallel()
	h := NewHub()
	w := h.Watch(h.Now(), of("a"))
	h.tell(About{PropertyID: "b"})
	assert.False(t, woken(w))
	h.tell(About{PropertyID: "a"})
	h.tell(About{PropertyID: "a"})
	assert.True(t, woken(w))
	assert.False(t, woken(w))
	h.Leave(w)
	h.tell(About{PropertyID: "a"})
	assert.False(t, woken(w))
}

// Who has read a page before they watch is told of what has changed in between, and of nothing else.
func TestHubRemembers(t *testing.T) {
	t.Parallel()
	before := NewHub().Now()
	h := NewHub()
	assert.True(t, woken(h.Watch(before, of("a"))), "the page is from before the hub began")
	page := h.Now()
	h.tell(About{PropertyID: "b"})
	assert.False(t, woken(h.Watch(page, of("a"))))
	h.tell(About{PropertyID: "a"})
	assert.True(t, woken(h.Watch(page, of("a"))))
	assert.False(t, woken(h.Watch(h.Now(), of("a"))))
	for i := range kept {
		h.tell(About{PropertyID: fmt.Sprint(i)})
	}
	assert.Len(t, h.told, kept)
	assert.True(t, woken(h.Watch(page, of("a"))), "it may have been forgotten")
}
