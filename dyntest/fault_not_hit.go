package dyntest

import "fmt"

// settle runs at the end of the test and fails it if an injected fault has not happened.
func (f *Faults) settle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	if f.t.Failed() || f.t.Skipped() {
		return
	}
	for _, i := range f.injections {
		if missing := i.missing(); missing != "" {
			f.t.Errorf("dyntest: %s on %s, injected at %s, %s", i.what.name, i.when, i.at, missing)
		}
	}
}

// missing says what did not happen, or "" if everything did.
func (i *Injection) missing() string {
	least := max(i.when.Times, 1)
	if i.when.Chance > 0 && i.when.Chance < 1 && i.counted > 0 {
		least = 0 // it may not have been drawn
	}
	if i.when.Optional || i.own >= least {
		return ""
	}
	happened := "did not happen"
	if i.own > 0 {
		happened = fmt.Sprintf("happened %d of %d times", i.own, i.when.Times)
	}
	sent := fmt.Sprintf("%d matching requests were sent", i.counted)
	switch i.counted {
	case 0:
		sent = "no matching request was sent"
	case 1:
		sent = "1 matching request was sent"
	}
	if idle := i.taken - i.own; idle > 0 {
		sent += fmt.Sprintf("; the fault was due on %d of them but had no effect, because "+
			"another fault answered, the engine refused the request, or there was nothing to change", idle)
	}
	return happened + ": " + sent
}
