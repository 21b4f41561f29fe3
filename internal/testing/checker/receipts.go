package checker

import (
	"context"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Receipt is written together with a call, so that it is known whether the call was carried out. Of is what the call is about, if
// that is told.
type Receipt struct{ ID, Kind, Of string }

// ReceiptsIn are those of one system, in a table of their own.
func ReceiptsIn(table string) *entity.Entity[Receipt] {
	return entity.New(entity.Spec[Receipt]{
		Name:   "Receipt",
		Schema: &dynastay.Schema{Name: table, Key: dynastay.KeyNames{Partition: "id"}},
		Key:    func(r *Receipt) (dynastay.Key, error) { return dynastay.Key{PK: r.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, r *Receipt) {
			f.String("id", &r.ID)
			f.String("kind", &r.Kind)
			f.IfSet().String("of", &r.Of)
		}),
	})
}

// writer is a process, or another DB of it.
type writer interface {
	Write(context.Context, ...dynastay.Part) error
}

// Write carries out an operation together with other parts.
func Write[R any](ctx context.Context, p writer, parts []dynastay.Part, op *dynastay.Operation[R]) (result R, err error) {
	if err = p.Write(ctx, append(parts, op)...); err == nil {
		result = op.Result()
	}
	return result, err
}

// Leave adds the receipt that a deed leaves, if it does, to what is written.
func (d *Deed) Leave(receipts *entity.Table[Receipt], parts []dynastay.Part) []dynastay.Part {
	if d.Receipt == nil {
		return parts
	}
	own := *d.Receipt
	return append(parts, receipts.CreateOp(&own))
}

// Decide tells from what a deed has left behind, all or nothing, whether it was carried out: from its receipt, which it takes
// out of those that are stored, and from other traces. Nobody knows of a deed that leaves nothing and was not answered.
func (c *Run) Decide(d *Deed, receipts map[string]*Receipt, traces ...bool) {
	if d.Receipt != nil {
		r := receipts[d.Mark]
		delete(receipts, d.Mark)
		traces = append(traces, r != nil)
		if r != nil && *r != *d.Receipt {
			c.Differ("a receipt of something else", d.Items, "%s: %v", d.About, *r)
		}
	}
	if len(traces) == 0 {
		return
	}
	done := traces[0]
	if slices.Contains(traces, !done) {
		c.Differ("half of a call", d.Items, "%s %s: %v", d.Name, d.About, traces)
	}
	switch v := d.Verdict(); {
	case done && v == Refused:
		c.Differ("a call that was refused, and is done", d.Items, "%s %s", d.Name, d.About)
	case !done && v == Acknowledged:
		c.Differ("a call is lost", d.Items, "%s %s", d.Name, d.About)
	}
	if done {
		d.Saw(c.Moment())
	}
	d.Undone = !done
}

// CheckReceipts is about the receipts of some kinds that are left over, or of all.
func (c *Run) CheckReceipts(receipts map[string]*Receipt, kinds ...string) {
	for mark, r := range receipts {
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			c.Differ("a receipt that nobody wrote", mark+" "+r.Of, "%s", r.Kind)
		}
	}
}
