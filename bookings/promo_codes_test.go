package bookings_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/raw"
	"github.com/dynastay/dynastay/keys"
)

// openPromos returns a repository with an empty Metadata table.
func openPromos(t *testing.T) (*dyntest.DB, *bookings.Repository) {
	t.Helper()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable), dyntest.At(fixture.Now))
	return db, bookings.New(db.DB, nil)
}

// storedPromo returns the item of a code.
func storedPromo(t *testing.T, db *dyntest.DB, code string) dynastay.Item {
	t.Helper()
	row, err := db.Direct.Get(t.Context(), keys.MetadataTable, dynastay.Key{PK: "PROMO#" + code, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(t, err)
	return row.Item()
}

func TestCreatePromoCode(t *testing.T) {
	t.Parallel()
	db, repo := openPromos(t)
	given := summer(func(p *bookings.PromoCode) {
		p.Code, p.CreatedAt, p.Version = " summer2024 ", fixture.Now.Add(time.Hour), 7
	})
	made, err := repo.CreatePromoCode(t.Context(), given)
	require.NoError(t, err)
	want := summer()
	want.CreatedAt, want.Version = fixture.Now, 1
	assert.Equal(t, &want, made)
	assert.Equal(t, " summer2024 ", given.Code)
	got, err := repo.PromoCode(t.Context(), "SUMMER2024")
	require.NoError(t, err)
	assert.Equal(t, &want, got)

	item := storedPromo(t, db, "SUMMER2024")
	assert.NotEmpty(t, item["WriteId"])
	delete(item, "WriteId")
	stored := raw.Document(t, "testdata/promo_code.json")
	stored["UsageCount"], stored["Version"] = dynastay.Number(0), dynastay.Number(1)
	stored["Currency"], stored["CreatedAt"] = dynastay.Text("USD"), dynastay.Text("2026-06-01T12:00:00Z")
	assert.Equal(t, plain(t, stored), plain(t, item))

	for _, same := range []string{"SUMMER2024", "Summer2024", "summer2024\n"} {
		_, err := repo.CreatePromoCode(t.Context(), bookings.PromoCode{Code: same, Amount: usd("1")})
		require.ErrorIs(t, err, dynastay.ErrAlreadyExists, same)
		assert.EqualError(t, err, "promoCodes.Create: PromoCode SUMMER2024: already exists")
	}
	again, err := repo.PromoCode(t.Context(), "SUMMER2024", dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, &want, again)
}

// No code can be read as a part of the key of another one.
func TestOddPromoCodes(t *testing.T) {
	t.Parallel()
	_, repo := openPromos(t)
	codes := []string{"A#B", "A%23B", "A/B", "METADATA", "A B", "夏2024", "STRAßE", "STRASSE", "I", "ı", "S", "ſ", strings.Repeat("#", bookings.MaxPromoCode)}
	for i, code := range codes {
		_, err := repo.CreatePromoCode(t.Context(), bookings.PromoCode{Code: code, Percent: dynastay.Percent(i + 1)})
		require.NoError(t, err, code)
	}
	for i, code := range codes {
		got, err := repo.PromoCode(t.Context(), code)
		require.NoError(t, err)
		assert.Equal(t, code, got.Code)
		assert.Equal(t, dynastay.Percent(i+1), got.Percent)
	}
}

func TestCreatePromoCodeRefuses(t *testing.T) {
	t.Parallel()
	db, repo := openPromos(t)
	stop := db.Faults.Record()
	for _, test := range []struct {
		field, reason string
		change        func(*bookings.PromoCode)
	}{
		{"Code", "is required", func(p *bookings.PromoCode) { p.Code = " " }},
		{"Code", "must be valid UTF-8", func(p *bookings.PromoCode) { p.Code = "A\xff" }},
		{"Code", "must be at most 64 bytes, got 65", func(p *bookings.PromoCode) { p.Code = strings.Repeat("x", 65) }},
		{"Code", "must be at most 256 bytes after trimming", func(p *bookings.PromoCode) { p.Code = strings.Repeat("x", 1025) }},
		{"Code", "must contain only printable characters", func(p *bookings.PromoCode) { p.Code = "A\x00B" }},
		{"Code", "must contain only printable characters", func(p *bookings.PromoCode) { p.Code = "A\u200bB" }},
		{"Description", "must be at most 2048 bytes, got 2049", func(p *bookings.PromoCode) { p.Description = strings.Repeat("x", 2049) }},
		{"Description", "must not contain a card number or a card verification code", func(p *bookings.PromoCode) { p.Description = "4242 4242 4242 4242" }},
		{"Description", "must be valid UTF-8", func(p *bookings.PromoCode) { p.Description = "\xff" }},
		{"Percent", "is required, unless Amount is set", func(p *bookings.PromoCode) { p.Percent = 0 }},
		{"Percent", "must be between 0.01 and 100, got 100.01", func(p *bookings.PromoCode) { p.Percent = 100_01 }},
		{"Percent", "must be between 0.01 and 100, got -0.01", func(p *bookings.PromoCode) { p.Percent = -1 }},
		{"Amount", "must not be set together with Percent", func(p *bookings.PromoCode) { p.Amount = usd("10") }},
		{"Amount", "must be positive", func(p *bookings.PromoCode) { p.Percent, p.Amount = 0, usd("0") }},
		{"Amount", "must be positive", func(p *bookings.PromoCode) { p.Percent, p.Amount = 0, usd("-1") }},
		{"Amount", "must have at most 2 decimal places in USD", func(p *bookings.PromoCode) { p.Percent, p.Amount = 0, usd("0.125") }},
		{"MinAmount", "must be positive", func(p *bookings.PromoCode) { p.MinAmount = usd("0") }},
		{"MinAmount", "must have at most 2 decimal places in USD", func(p *bookings.PromoCode) { p.MinAmount = usd("200.001") }},
		{"MinAmount", "must be in EUR, the currency of Amount", func(p *bookings.PromoCode) {
			p.Percent, p.Amount, p.MaxDiscount = 0, dynastay.MustMoney("10", "EUR"), dynastay.Money{}
		}},
		{"MaxDiscount", "must be positive", func(p *bookings.PromoCode) { p.MaxDiscount = usd("-100") }},
		{"MaxDiscount", "must be in USD, the currency of MinAmount", func(p *bookings.PromoCode) { p.MaxDiscount = dynastay.MustMoney("100", "EUR") }},
		{"MaxDiscount.Currency", `must be an active ISO 4217 currency code in upper case, got ""`, func(p *bookings.PromoCode) {
			p.MaxDiscount, _ = dynastay.MoneyOfDigits("100", "")
		}},
		{"ValidUntil", "must not be before ValidFrom", func(p *bookings.PromoCode) { p.ValidUntil = p.ValidFrom.Add(-1) }},
		{"ValidFrom", "must be in a year between 1 and 9999, got 10000", func(p *bookings.PromoCode) {
			p.ValidFrom, p.ValidUntil = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Time{}
		}},
		{"ValidUntil", "must be in a year between 1 and 9999, got 10000", func(p *bookings.PromoCode) { p.ValidUntil = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }},
		{"UsageLimit", "must not be negative", func(p *bookings.PromoCode) { p.UsageLimit = -1 }},
		{"UsageCount", "must be 0 for a new code", func(p *bookings.PromoCode) { p.UsageCount = 1 }},
		{"UsageCount", "must be 0 for a new code", func(p *bookings.PromoCode) { p.UsageCount = -1 }},
	} {
		_, err := repo.CreatePromoCode(t.Context(), summer(test.change))
		invalid := blame.As[*dynastay.InvalidError](t, err, "%v", test)
		assert.Equal(t, []string{test.field, test.reason}, []string{invalid.Field, invalid.Reason})
	}
	assert.Empty(t, stop(), "no request was sent")

	edge := summer(func(p *bookings.PromoCode) {
		p.Code, p.Description = strings.Repeat("x", 64)+" ", strings.Repeat("x", 2048)
		p.ValidUntil, p.Percent, p.MinAmount, p.MaxDiscount, p.UsageLimit = p.ValidFrom, 1, usd("0.01"), usd("0.01"), 0
	})
	made, err := repo.CreatePromoCode(t.Context(), edge)
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("X", 64), made.Code)
	_, err = repo.CreatePromoCode(t.Context(), summer(func(p *bookings.PromoCode) { p.ValidFrom, p.Percent = time.Time{}, dynastay.MaxPercent }))
	require.NoError(t, err)
}

// A code is found as it is typed, with one request. What is typed exactly as it is stored comes first.
func TestPromoCodeAsTyped(t *testing.T) {
	t.Parallel()
	db, repo := openPromos(t)
	for _, code := range []string{"SUMMER2024", "Winter2024", "WINTER2024", "Spring"} { // the mixed ones are of other software
		item := raw.Document(t, "testdata/promo_code.json")
		item["PK"], item["Code"] = dynastay.Text("PROMO#"+code), dynastay.Text(code)
		raw.Put(t, db, keys.MetadataTable, item)
	}
	one, both := []string{"GetItem"}, []string{"BatchGetItem"}
	for _, test := range []struct {
		typed, found string
		sent         []string
	}{
		{"SUMMER2024", "SUMMER2024", one},
		{" SUMMER2024\t", "SUMMER2024", one},
		{"summer2024", "SUMMER2024", both},
		{" Summer2024 ", "SUMMER2024", both},
		{"Winter2024", "Winter2024", both},
		{"WINTER2024", "WINTER2024", one},
		{"winter2024", "WINTER2024", both},
		{"Spring ", "Spring", both},
		{"SPRING", "", one},
		{"spring", "", both},
		{"a#b", "", both},
	} {
		for _, opts := range [][]dynastay.ReadOption{nil, {dynastay.Consistent}} {
			stop := db.Faults.Record()
			got, err := repo.PromoCode(t.Context(), test.typed, opts...)
			sent := stop()
			assert.Equal(t, test.sent, []string{sent[0].Operation}, test.typed)
			assert.Len(t, sent, 1, test.typed)
			assert.Equal(t, len(opts) == 1, readsConsistently(t, sent[0]))
			if test.found == "" {
				require.ErrorIs(t, err, dynastay.ErrNotFound, test.typed)
				assert.Nil(t, got)
				continue
			}
			require.NoError(t, err, test.typed)
			assert.Equal(t, test.found, got.Code)
		}
	}
	_, err := repo.PromoCode(t.Context(), "a#b")
	assert.EqualError(t, err, "PromoCode A%23B: not found")
	for _, typed := range []string{"", " ", "\xff", strings.Repeat("x", 257), strings.Repeat(" ", 1024) + "X"} {
		assert.Empty(t, operations(db, func() {
			_, err := repo.PromoCode(t.Context(), typed)
			blame.Invalid(t, err, "Code", typed)
			_, err = repo.DeactivatePromoCode(t.Context(), typed)
			blame.Invalid(t, err, "Code", typed)
		}))
	}
	db.Faults.Inject(dyntest.Fail("AccessDeniedException"), dyntest.When{Operation: "BatchGetItem", Nth: 1})
	_, err = repo.PromoCode(t.Context(), "summer2024")
	assert.ErrorIs(t, err, dynastay.ErrRejected)
}

// readsConsistently reports whether a GetItem or BatchGetItem request is strongly consistent.
func readsConsistently(t *testing.T, sent dyntest.Request) bool {
	t.Helper()
	var body struct {
		ConsistentRead bool
		RequestItems   map[string]struct{ ConsistentRead bool }
	}
	require.NoError(t, json.Unmarshal(sent.Body, &body))
	for _, table := range body.RequestItems {
		return table.ConsistentRead
	}
	return body.ConsistentRead
}

// A stored code without the attribute that its key is derived from cannot be changed, so it is not returned either.
func TestPromoCodeThatIsNotItsKey(t *testing.T) {
	t.Parallel()
	db, repo := openPromos(t)
	for _, code := range []types.AttributeValue{nil, dynastay.Text("Summer2024"), dynastay.Text("SUMMER")} {
		item := raw.Document(t, "testdata/promo_code.json")
		if item["Code"] = code; code == nil {
			delete(item, "Code")
		}
		raw.Put(t, db, keys.MetadataTable, item)
		_, err := repo.PromoCode(t.Context(), "summer2024")
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
		assert.EqualError(t, err, "PromoCode SUMMER2024 (Code): unreadable item: must be the code in the key")
		_, err = repo.DeactivatePromoCode(t.Context(), "SUMMER2024")
		require.ErrorIs(t, err, dynastay.ErrCorrupt)
	}
}

// The document's code is deactivated with everything that it has, and its amounts cannot be used without a currency.
func TestDocumentPromoCode(t *testing.T) {
	t.Parallel()
	db, repo := openPromos(t)
	item := raw.Document(t, "testdata/promo_code.json")
	item["Channel"] = dynastay.Text("newsletter") // unknown to the library
	raw.Put(t, db, keys.MetadataTable, item)
	code, err := repo.PromoCode(t.Context(), "summer2024")
	require.NoError(t, err)
	require.NoError(t, code.Usable(time.Date(2024, 7, 1, 0, 0, 0, 0, time.UTC)))
	_, err = code.Discount(usd("250"))
	assert.ErrorIs(t, err, bookings.ErrPromoCurrency)

	got, err := repo.DeactivatePromoCode(t.Context(), "summer2024")
	require.NoError(t, err)
	code.Active, code.Version = false, 1
	assert.Equal(t, code, got)
	want := plain(t, item)
	want["IsActive"], want["Version"] = false, 1.0
	stored := storedPromo(t, db, "SUMMER2024")
	assert.NotEmpty(t, stored["WriteId"])
	delete(stored, "WriteId")
	assert.Equal(t, want, plain(t, stored))
}

func TestActivatePromoCode(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := openPromos(t)
	want, err := repo.CreatePromoCode(ctx, summer(func(p *bookings.PromoCode) { p.Active = false }))
	require.NoError(t, err)
	assert.False(t, want.Active)
	written := storedPromo(t, db, "SUMMER2024")["WriteId"]
	read, batch, update := "GetItem", "BatchGetItem", "UpdateItem"
	for _, test := range []struct {
		to    func(context.Context, string, ...dynastay.WriteOption) (*bookings.PromoCode, error)
		typed string
		is    bool
		sent  []string
	}{
		{repo.DeactivatePromoCode, "SUMMER2024", false, []string{read}},
		{repo.ActivatePromoCode, "summer2024", true, []string{batch, update}},
		{repo.ActivatePromoCode, "summer2024", true, []string{batch}},
		{repo.DeactivatePromoCode, "SUMMER2024", false, []string{read, update}},
		{repo.ActivatePromoCode, "SUMMER2024", true, []string{read, update}},
	} {
		stop := db.Faults.Record()
		got, err := test.to(ctx, test.typed)
		require.NoError(t, err)
		var sent []string
		for i, r := range stop() {
			sent = append(sent, r.Operation)
			assert.Equal(t, i == 0, readsConsistently(t, r), "a stale read could miss that the code was activated")
		}
		assert.Equal(t, test.sent, sent)
		changed := slices.Contains(sent, update)
		if want.Active = test.is; changed {
			want.Version++
		}
		assert.Equal(t, want, got)
		now := storedPromo(t, db, "SUMMER2024")["WriteId"]
		assert.Equal(t, changed, !assert.ObjectsAreEqual(written, now), "a change leaves a new write id")
		written = now
		stored, err := repo.PromoCode(ctx, "SUMMER2024", dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, want, stored)
	}
	for _, typed := range []string{"NONE", "none"} {
		_, err = repo.DeactivatePromoCode(ctx, typed)
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
		_, err = repo.ActivatePromoCode(ctx, typed)
		assert.ErrorIs(t, err, dynastay.ErrNotFound)
	}
	assert.Nil(t, storedPromo(t, db, "NONE"))
}

func TestRepeatedPromoCalls(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, repo := openPromos(t)
	key, off := dynastay.IdempotencyKey("request-1"), dynastay.IdempotencyKey("request-2")
	_, err := repo.CreatePromoCode(ctx, summer(), key)
	require.NoError(t, err)
	made, err := db.MadeBy(ctx, key)
	require.NoError(t, err)
	assert.Equal(t, []map[string]string{{"Code": "SUMMER2024"}}, made)
	_, err = repo.DeactivatePromoCode(ctx, "SUMMER2024", off)
	require.NoError(t, err)

	again, err := repo.CreatePromoCode(ctx, summer(func(p *bookings.PromoCode) { p.Code = "summer2024" }), key)
	require.NoError(t, err, "the same code in another spelling")
	assert.False(t, again.Active, "a replay returns the current state")
	for name, change := range map[string]func(*bookings.PromoCode){
		"code":        func(p *bookings.PromoCode) { p.Code = "SUMMER2025" },
		"description": func(p *bookings.PromoCode) { p.Description = "" },
		"percent":     func(p *bookings.PromoCode) { p.Percent++ },
		"kind":        func(p *bookings.PromoCode) { p.Percent, p.Amount = 0, usd("15") },
		"minimum":     func(p *bookings.PromoCode) { p.MinAmount = usd("201") },
		"limit":       func(p *bookings.PromoCode) { p.UsageLimit = 0 },
		"until":       func(p *bookings.PromoCode) { p.ValidUntil = time.Time{} },
		"active":      func(p *bookings.PromoCode) { p.Active = false },
	} {
		_, err := repo.CreatePromoCode(ctx, summer(change), key)
		assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch, name)
	}

	_, err = repo.ActivatePromoCode(ctx, "SUMMER2024")
	require.NoError(t, err)
	stop := db.Faults.Record()
	replayed, err := repo.DeactivatePromoCode(ctx, "SUMMER2024", off)
	require.NoError(t, err)
	assert.True(t, replayed.Active, "it was activated since, and is not deactivated a second time")
	assert.Equal(t, 3, replayed.Version)
	sent := stop()
	assert.True(t, readsConsistently(t, sent[len(sent)-1]))
	repeated, err := repo.DeactivatePromoCode(ctx, "summer2024", off)
	require.NoError(t, err)
	assert.Equal(t, replayed, repeated, "another spelling of the same code")
	_, err = repo.DeactivatePromoCode(ctx, "SUMMER2025", off)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
	_, err = repo.ActivatePromoCode(ctx, "SUMMER2024", off)
	assert.ErrorIs(t, err, dynastay.ErrIdempotencyMismatch)
}

// The costs of the operations: a code is less than 1 KB.
func TestCostOfPromoCodes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := dyntest.New(t, dyntest.OnlyTables(keys.MetadataTable), dyntest.With(dynastay.Options{Clock: moving()}))
	repo, costs := bookings.New(db.DB, nil), page.Costs{DB: db}
	for _, test := range []struct {
		name, why string
		want      dyntest.Cost
		call      func() error
	}{
		{
			"create", "one item, which must not exist", dyntest.Cost{Requests: 1, WriteUnits: 1},
			func() error { _, err := repo.CreatePromoCode(ctx, summer()); return err },
		},
		{"create, with an idempotency key", "the code and the key, in a transaction", dyntest.Cost{Requests: 1, WriteUnits: 4}, func() error {
			_, err := repo.CreatePromoCode(ctx, summer(func(p *bookings.PromoCode) { p.Code = "KEYED" }), dynastay.IdempotencyKey("k"))
			return err
		}},
		{
			"find", "half a unit for every 4 KB", dyntest.Cost{Requests: 1, ReadUnits: 0.5},
			func() error { _, err := repo.PromoCode(ctx, "SUMMER2024"); return err },
		},
		{
			"find, typed with lower-case letters", "both spellings, which may be two codes", dyntest.Cost{Requests: 1, ReadUnits: 1},
			func() error { _, err := repo.PromoCode(ctx, "summer2024"); return err },
		},
		{
			"deactivate or activate", "one plain update", dyntest.Cost{Requests: 2, ReadUnits: 1, WriteUnits: 1},
			func() error { _, err := repo.DeactivatePromoCode(ctx, "SUMMER2024"); return err },
		},
		{
			"deactivate again", "it is seen by the read", dyntest.Cost{Requests: 1, ReadUnits: 1},
			func() error { _, err := repo.DeactivatePromoCode(ctx, "SUMMER2024"); return err },
		},
		{
			"activate, typed with lower-case letters", "both spellings are read", dyntest.Cost{Requests: 2, ReadUnits: 2, WriteUnits: 1},
			func() error { _, err := repo.ActivatePromoCode(ctx, "summer2024"); return err },
		},
	} {
		spent := db.Measure(func() { require.NoError(t, test.call(), test.name) })
		assert.Equal(t, test.want.Requests, spent.Requests, test.name)
		if db.Has(dyntest.ExactUnits) { // DynamoDB Local counts differently
			assert.Equal(t, test.want, spent.Cost, test.name)
		}
		costs.Add(test.name, test.why, spent.Bill())
	}
	costs.Section(t, "promo codes")
}

// A code whose times could not be read again is refused by name, before any request.
func TestTimesOfPromoCodes(t *testing.T) {
	t.Parallel()
	h := newInn(t)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for field, p := range map[string]bookings.PromoCode{
		"ValidUntil": {ValidUntil: last.Add(time.Second)},
		"ValidFrom":  {ValidFrom: last.Add(time.Hour).In(time.FixedZone("", -7200))},
	} {
		p.Code, p.Percent = "SUMMER", 10_00
		var invalid *dynastay.InvalidError
		cost := h.Measure(func() {
			_, err := h.repo.CreatePromoCode(t.Context(), p)
			if assert.ErrorAs(t, err, &invalid) {
				assert.Equal(t, field, invalid.Field)
			}
		})
		assert.Empty(t, cost.Calls, field)
	}
}
