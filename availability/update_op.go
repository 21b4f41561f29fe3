package availability

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/dynastay/dynastay"
)

// UpdateOp makes the changes of [Repository.Update] in one transaction, alone or together with other operations: all
// nights are written, or none. It needs one action for each night that changes; a transaction has at most 100. If any
// date cannot be written, it fails with an [*UpdateError] that lists these dates. Progress is not called. After a replay
// with an idempotency key, every date of the report is [Unchanged].
//
// A night costs three write units instead of two, and a sale of any of the nights makes the transaction wait. Use Update
// unless the nights must change together, or together with something else.
func (r *Repository) UpdateOp(u UpdateRequest) *dynastay.Operation[Report] {
	return dynastay.NewOp(dynastay.OpSpec[Report]{
		Name:    opUpdate,
		Invalid: u.Validate(),
		Input:   u.agreed,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (Report, error) {
			p, err := r.plan(ctx, u)
			if err != nil {
				return Report{}, err
			}
			r.readPlan(ctx, p)
			for _, night := range p.inOrder() {
				var got written
				err := night.err
				if err == nil {
					got, err = r.update(tx, u.PropertyID, night, night.row)
				}
				p.record(night, got, night.meaning(err))
			}
			report := u.finish(p)
			if err := report.failure(); err != nil {
				return Report{}, err
			}
			return report, nil
		},
		Restore: func(context.Context, map[string]string) (Report, error) {
			merged, err := u.merged()
			report := Report{}
			for _, at := range inOrder(merged) {
				d := at.report()
				d.Result = Unchanged
				report.Dates = append(report.Dates, d)
			}
			return report, err
		},
	})
}

// agreed adds everything that the request sets. The hash is stored, so the JSON of a [Change] must not change.
func (u UpdateRequest) agreed(in *dynastay.Input) {
	in.Field("property", u.PropertyID)
	for _, c := range u.Changes {
		text, err := json.Marshal(c)
		if err != nil {
			panic(err) // the texts and numbers of a valid change can be marshalled
		}
		in.Field("change", string(text))
	}
	in.Field("open only", strconv.FormatBool(u.OpenOnly))
	in.Field("only", strconv.FormatBool(u.Only != nil))
	for _, d := range u.Only {
		in.Field("only", fmt.Sprintln(d.RoomTypeID, d.Date, d.Departure))
	}
}
