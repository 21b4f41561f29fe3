package checker

import (
	"context"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// receipt is written together with a call, so that it is known whether the call was carried out. Of is what the call is about, if
// that is told.
type receipt struct{ ID, Kind, Of string }

// receiptsIn are those of one system, in a table of their own.
func receiptsIn(table string) *entity.Entity[receipt] {
	return entity.New(entity.Spec[receipt]{
		Name:   "Receipt",
		Schema: &dynastay.Schema{Name: table, Key: dynastay.KeyNames{Partition: "id"}},
		Key:    func(r *receipt) (dynastay.Key, error) { return dynastay.Key{PK: r.ID}, nil },
		Codec: entity.Declare(func(f *entity.Fields, r *receipt) {
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

// write carries out an operation together with other parts.
func write[R any](ctx context.Context, p writer, parts []dynastay.Part, op *dynastay.Operation[R]) (result R, err error) {
	if err = p.Write(ctx, append(parts, op)...); err == nil {
		result = op.Result()
	}
	return result, err
}
