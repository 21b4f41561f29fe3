package charges_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/levy"
)

// Any list and stay have a bill that adds up, or are refused with the field.
func FuzzBill(f *testing.F) {
	for seed := range uint64(50) {
		l, b := levy.New(seed).Stay()
		list, err := json.Marshal(l)
		require.NoError(f, err)
		booked, err := json.Marshal(b)
		require.NoError(f, err)
		f.Add(list, booked)
	}
	f.Fuzz(func(t *testing.T, list, booked []byte) {
		l, b := &charges.List{}, charges.Booked{}
		if json.Unmarshal(list, l) != nil || json.Unmarshal(booked, &b) != nil {
			return
		}
		bill, err := l.Bill(b)
		if err != nil {
			var invalid *dynastay.InvalidError
			require.True(t, errors.As(err, &invalid), "%v", err)
			require.NotEmpty(t, invalid.Field)
			require.Nil(t, bill)
			return
		}
		require.NoError(t, bill.Validate(len(b.Lines), b.Stay.Nights(), b.Lines[0].Nights[0].Lodging.Currency()))
	})
}
