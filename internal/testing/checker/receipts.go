package checker

import (
	"context"

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
