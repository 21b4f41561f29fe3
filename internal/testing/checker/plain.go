package checker

import (
	"math"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/testing/raw"
)

// plain is a stored item without the library.
type plain = map[string]any

// scan reads all items of a table, past everything.
func (c *checker) scan(s *dynastay.Schema) (all []plain) {
	for _, item := range raw.All(c.t, c.db, s) {
		all = append(all, raw.Plain(c.t, item))
	}
	return all
}

// stored are the entities of a table by their ids.
func stored[T any](c *checker, e *entity.Entity[T]) map[string]*T {
	all := map[string]*T{}
	for _, item := range raw.All(c.t, c.db, e.Schema) {
		row := dynastay.RowOf(item)
		v, err := e.Value(row)
		require.NoError(c.t, err)
		all[e.Schema.Key.From(row).String()] = v
	}
	return all
}

// textOf is an attribute, "" if it is absent.
func textOf(p plain, name string) string {
	text, _ := p[name].(string)
	return text
}

// numberOf is an attribute that is a number without a fraction, 0 if it is absent.
func numberOf(p plain, name string) int {
	n, _ := p[name].(float64)
	return int(n)
}

// cents is an amount as it is stored, in cents; 0 if it is absent.
func cents(stored any) int64 {
	amount, _ := stored.(float64)
	return int64(math.Round(amount * 100))
}

// timeOf is a time as it is stored, zero if it is absent.
func timeOf(stored any) time.Time {
	text, _ := stored.(string)
	at, _ := time.Parse(time.RFC3339Nano, text)
	return at
}

// minor is an amount in cents, 0 for none.
func minor(amount dynastay.Money) int64 {
	cents, _ := amount.Minor()
	return cents
}

// dollars is an amount of so many cents, unset for 0.
func dollars(cents int64) dynastay.Money {
	if cents == 0 {
		return dynastay.Money{}
	}
	amount, _ := dynastay.MoneyOfMinor(cents, "USD")
	return amount
}

// count is 1 for what is so, and 0 for what is not.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
