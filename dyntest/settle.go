package dyntest

import "fmt"

// settle is the end of the test: what was injected should have happened.
func (f *Faults) settle() {
	if f.t.Failed() || f.t.Skipped() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, i := range f.injections {
		if missing := i.missing(); missing != "" {
			f.t.Errorf("dyntest: %s on %s %s", i.what.name, i.when, missing)
		}
	}
}

// missing says what did not happen, "" if all did.
func (i *Injection) missing() string {
	if i.when.Optional || i.when.Chance > 0 || i.own >= max(i.when.Times, 1) {
		return ""
	}
	had := "had no hit"
	if i.own > 0 {
		had = fmt.Sprintf("had %d of its %d hits", i.own, i.when.Times)
	}
	sent := fmt.Sprintf("%d such requests were sent", i.counted)
	switch i.counted {
	case 0:
		sent = "no such request was sent"
	case 1:
		sent = "1 such request was sent"
	}
	if idle := i.taken - i.own; idle > 0 {
		sent += fmt.Sprintf("; it was due on %d of them and had no effect", idle)
	}
	return had + ": " + sent
}
