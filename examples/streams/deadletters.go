package main

import (
	"context"
	"encoding/json"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys/key"
)

// deadLetter is a change that could not be handled. It contains the item as it was before and after the change, so
// whoever erases a person's data must look here too.
type deadLetter struct {
	ID     string // of the change
	Record string // in JSON
	Error  string
}

type deadLetterKey struct{ ID string }

func (k *deadLetterKey) Form(f *key.Form) {
	f.PK("DEADLETTERS")
	f.SK("CHANGE#", key.ID("ID", &k.ID))
}

var deadLetters = entity.New(entity.Spec[deadLetter]{
	Name: "DeadLetter", Operations: "deadletters", Schema: deliveriesTable,
	Key: func(d *deadLetter) (dynastay.Key, error) { return key.Of(deadLetterKey{d.ID}) },
	Codec: entity.Declare(func(f *entity.Fields, d *deadLetter) {
		f.String("ChangeId", &d.ID)
		f.String("Record", &d.Record)
		f.String("Error", &d.Error)
	}),
})

// park returns the DeadLetter of a consumer. It puts the change under its ID, so it may be called again.
func park(db *dynastay.DB) func(context.Context, stream.Record, error) error {
	table := entity.NewTable(db, deadLetters)
	return func(ctx context.Context, r stream.Record, cause error) error {
		record, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = table.Put(ctx, &deadLetter{ID: r.ID(), Record: string(record), Error: cause.Error()})
		return err
	}
}

// parked returns all dead letters.
func parked(ctx context.Context, db *dynastay.DB) (all []*deadLetter, err error) {
	partition, err := key.Partition(deadLetterKey{})
	if err != nil {
		return nil, err
	}
	for d, err := range entity.NewTable(db, deadLetters).List(dynastay.Query{Name: "deadletters.List", Partition: partition}).All(ctx) {
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// remove removes a dead letter that has been handled.
func (d *deadLetter) remove(ctx context.Context, db *dynastay.DB) error {
	at, err := key.Of(deadLetterKey{d.ID})
	if err != nil {
		return err
	}
	return entity.NewTable(db, deadLetters).Delete(ctx, at, dynastay.OrMissing())
}
