package key_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
)

type page struct {
	Book   string
	Number int64
}

func (k *page) Form(f *key.Form) {
	f.PK("BOOK#", key.ID("Book", &k.Book))
	f.SK("PAGE#", key.Digits("Number", &k.Number, 3))
}

// Is accepts exactly the keys that Of writes.
func TestIs(t *testing.T) {
	for stored, want := range map[dynastay.Key]bool{
		{PK: "BOOK#b1", SK: "PAGE#007"}:   true,
		{PK: "BOOK#b1", SK: "PAGE#7"}:     false,
		{PK: "BOOK#b1", SK: "PAGE#"}:      false,
		{PK: "BOOK#b1", SK: "PAGE#007#"}:  false,
		{PK: "BOOK#b1", SK: "COVER"}:      false,
		{PK: "BOOK#b1#2", SK: "PAGE#007"}: false,
		{PK: "BOOK#", SK: "PAGE#007"}:     false,
		{PK: "SHELF#b1", SK: "PAGE#007"}:  false,
		{PK: "BOOK#b1"}:                   false,
		{}:                                false,
	} {
		assert.Equal(t, want, key.Is[page](stored), stored.String())
	}
}
