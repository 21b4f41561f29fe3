package dynastay_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest/engine"
	"github.com/dynastay/dynastay/dyntest/engine/docker"
	"github.com/dynastay/dynastay/keys"
)

// A custom operation takes breakfasts of a day, as long as some are left. Many guests may want the last one, so they
// queue for the day, and those still waiting when it is gone share the refusal.
func ExampleNewOp() {
	ctx := context.Background()
	e, err := engine.Start(ctx, docker.Allow())
	if err != nil {
		log.Fatal(err)
	}
	defer e.Stop(ctx)
	days := &dynastay.Schema{Name: "Breakfasts", Key: dynastay.KeyNames{Partition: "day"}}
	prefix := "example-" + rand.Text() + "-"
	if err := e.CreateTables(ctx, prefix, days, keys.MetadataTable); err != nil {
		log.Fatal(err)
	}
	db := dynastay.Open(e.Client(), &dynastay.Options{TablePrefix: prefix})

	// DynamoDB checks the condition together with the write, because what was read before may have changed.
	left := dynastay.NameOf("left")
	take := dynastay.MustCompile(expression.NewBuilder().
		WithCondition(left.GreaterThanEqual(dynastay.Param("n"))).
		WithUpdate(expression.Set(left, left.Minus(dynastay.Param("n")))))
	errTooFew := errors.New("too few breakfasts are left")
	takeOp := func(day dynastay.Date, n int) *dynastay.Operation[int] {
		at := dynastay.Key{PK: day.String()}
		return dynastay.NewOp(dynastay.OpSpec[int]{
			Name: "breakfasts.Take",
			Input: func(in *dynastay.Input) {
				in.Key(at)
				in.Field("n", fmt.Sprint(n))
			},
			Contest: &dynastay.Contest{
				Items: []dynastay.Ref{dynastay.RefOf(days, at)},
				Judge: func(seen map[dynastay.Ref]dynastay.Row) error {
					if row, known := seen[dynastay.RefOf(days, at)]; known && row.Int("left") < n {
						return errTooFew
					}
					return nil
				},
			},
			Prepare: func(_ context.Context, tx *dynastay.Tx) (int, error) {
				tx.Update(days, at, take.With(dynastay.Item{"n": dynastay.Number(n)}))
				return n, nil
			},
			Restore: func(context.Context, map[string]string) (int, error) { return n, nil },
		})
	}

	day := dynastay.MustDate("2026-07-10")
	setOp := dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "breakfasts.Set",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			tx.Put(days, dynastay.Item{"day": dynastay.Text(day.String()), "left": dynastay.Number(2)})
			return struct{}{}, nil
		},
	})
	if err := db.Write(ctx, setOp); err != nil {
		log.Fatal(err)
	}
	fmt.Println(db.Write(ctx, takeOp(day, 2), dynastay.IdempotencyKey("guest 1")))
	fmt.Println(db.Write(ctx, takeOp(day, 1)))
	fmt.Println(db.Write(ctx, takeOp(day, 2), dynastay.IdempotencyKey("guest 1"))) // the same guest asks again
	// Output:
	// <nil>
	// too few breakfasts are left
	// <nil>
}
