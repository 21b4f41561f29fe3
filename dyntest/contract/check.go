package contract

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
)

// Check runs all cases, and returns their results in the order of [Cases]. The error says that the tables could not be
// created or deleted; without tables, there are no results.
func Check(ctx context.Context, target Target) (results []Result, err error) {
	s, err := open(ctx, target)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	for _, c := range Cases() {
		results = append(results, s.answer(ctx, c))
	}
	return results, nil
}

// answer runs a case, unless it may exceed the budget.
func (s *session) answer(ctx context.Context, c Case) Result {
	if s.Units > 0 && s.planned+c.Units > s.Units {
		return Result{c, NotShown, fmt.Sprintf("budget: it may spend %v units, and %v are left", c.Units, s.Units-s.planned)}
	}
	s.planned += c.Units
	verdict, seen := play(&scene{session: s, ctx: ctx, pk: "case-" + rand.Text()[:10]}, c.run)
	return Result{c, verdict, seen}
}

// ending is how a step ends its case.
type ending struct {
	verdict Verdict
	seen    string
}

// play runs a case until its end, or until a step ends it.
func play(s *scene, run func(*scene)) (verdict Verdict, seen string) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case ending:
			verdict, seen = end.verdict, end.seen
		default:
			panic(end)
		}
	}()
	run(s)
	return AsRequired, ""
}
