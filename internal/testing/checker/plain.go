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

// Scan reads all items of a table, past everything.
func (c *Run) Scan(s *dynastay.Schema) (all []plain) {
	for _, item := range raw.All(c.T, c.Base, s) {
		all = append(all, raw.Plain(c.T, item))
	}
	return all
}

// Stored are the entities of a table by their ids.
func Stored[T any](c *Run, e *entity.Entity[T]) map[string]*T {
	all := map[string]*T{}
	for _, item := range raw.All(c.T, c.Base, e.Schema) {
		row := dynastay.RowOf(item)
		v, err := e.Value(row)
		require.NoError(c.T, err)
		all[e.Schema.Key.From(row).String()] = v
	}
	return all
}

// TextOf is an attribute, "" if it is absent.
func TextOf(p plain, name string) string {
	text, _ := p[name].(string)
	return text
}

// NumberOf is an attribute that is a number without a fraction, 0 if it is absent.
func NumberOf(p plain, name string) int {
	n, _ := p[name].(float64)
	return int(n)
}

// Cents is an amount as it is stored, in cents; 0 if it is absent.
func Cents(stored any) int64 {
	amount, _ := stored.(float64)
	return int64(math.Round(amount * 100))
}

// TimeOf is a time as it is stored, zero if it is absent.
func TimeOf(stored any) time.Time {
	text, _ := stored.(string)
	at, _ := time.Parse(time.RFC3339Nano, text)
	return at
}

// Minor is an amount in cents, 0 for none.
func Minor(amount dynastay.Money) int64 {
	cents, _ := amount.Minor()
	return cents
}

// Dollars is an amount of so many cents, unset for 0.
func Dollars(cents int64) dynastay.Money {
	if cents == 0 {
		return dynastay.Money{}
	}
	amount, _ := dynastay.MoneyOfMinor(cents, "USD")
	return amount
}

// Count is 1 for what is so, and 0 for what is not.
func Count(is bool) int {
	if is {
		return 1
	}
	return 0
}
