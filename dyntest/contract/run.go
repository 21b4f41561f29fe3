package contract

import "testing"

// Run runs all cases, each as a subtest if t is a [testing.T] or another type with its method Run. A case that differs is
// an error, with what it means. A case that is not shown is skipped, or logged if there are no subtests.
func Run(t testing.TB, target Target) {
	t.Helper()
	s, err := open(t.Context(), target)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	t.Cleanup(func() {
		if err := s.close(ctx); err != nil {
			t.Errorf("contract: delete the tables: %v", err)
		}
	})
	parent, has := t.(interface {
		Run(name string, f func(t *testing.T)) bool
	})
	for _, c := range Cases() {
		if !has {
			report(t, s.answer(ctx, c), t.Log)
			continue
		}
		parent.Run(c.Group+"/"+c.Name, func(t *testing.T) {
			report(t, s.answer(t.Context(), c), t.Skip)
		})
	}
}

// report tells a test what an engine has answered. notShown is how the test says that it was not shown.
func report(t testing.TB, r Result, notShown func(...any)) {
	t.Helper()
	switch r.Verdict {
	case Differs:
		t.Errorf("%s\nneeded for: %s\nit means: %s", r, r.Needs, r.Means)
	case NotShown:
		notShown(r)
	}
}
