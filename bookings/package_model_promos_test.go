package bookings_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
	"github.com/dynastay/dynastay/internal/testing/wire"
	"github.com/dynastay/dynastay/keys"
)

// worldCode is a promo code. How many bookings use it is not among its values: it follows from the bookings.
type worldCode struct{ bookings.PromoCode }

// uses counts the bookings with a code that are neither cancelled nor expired.
func (w *world) uses(code string) (n int) {
	for _, b := range w.bookings {
		if b.code == code && b.takes() {
			n++
		}
	}
	return n
}

// wantCode returns a code as every read and every write returns it.
func (w *world) wantCode(code string) *bookings.PromoCode {
	p := w.codes[code].PromoCode
	p.UsageCount = w.uses(code)
	return &p
}

// typedCode returns the code that a text means.
func typedCode(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		return c
	}, strings.TrimSpace(text))
}

// unusable returns why a code cannot be used now.
func (w *world) unusable(code string) error {
	p, now := w.codes[code], w.db.Now()
	var why error
	switch {
	case !p.Active:
		why = bookings.ErrPromoInactive
	case !p.ValidFrom.IsZero() && now.Before(p.ValidFrom):
		why = bookings.ErrPromoNotYet
	case !p.ValidUntil.IsZero() && !now.Before(p.ValidUntil.Truncate(time.Second).Add(time.Second)):
		why = bookings.ErrPromoEnded
	case p.UsageLimit > 0 && w.uses(code) >= p.UsageLimit:
		why = bookings.ErrPromoUsedUp
	default:
		return nil
	}
	return &bookings.PromoError{Code: code, Err: why}
}

// discount returns the discount of a code on rooms at a price, in cents, or why there is none.
func (w *world) discount(code string, rooms int64) (cents int64, no error) {
	p := w.codes[code]
	for _, amount := range []dynastay.Money{p.Amount, p.MinAmount, p.MaxDiscount} {
		if amount.IsSet() && amount.Currency() != "USD" {
			return 0, &bookings.PromoError{Code: code, Err: bookings.ErrPromoCurrency}
		}
	}
	if p.MinAmount.IsSet() && rooms < centsOf(p.MinAmount) {
		return 0, &bookings.PromoError{Code: code, Err: bookings.ErrPromoMinimum, Minimum: p.MinAmount}
	}
	if cents = (2*rooms*int64(p.Percent) + 10_000) / 20_000; p.Amount.IsSet() {
		cents = centsOf(p.Amount)
	}
	if p.MaxDiscount.IsSet() {
		cents = min(cents, centsOf(p.MaxDiscount))
	}
	return min(cents, rooms), nil
}

// codeItems returns the stored form of all codes.
func (w *world) codeItems() map[string]map[string]any {
	items := map[string]map[string]any{}
	for code := range w.codes {
		p := w.wantCode(code)
		item := map[string]any{
			"PK": "PROMO#" + code, "SK": "METADATA", "EntityType": "PromoCode", "Code": code, "UsageCount": float64(p.UsageCount),
			"IsActive": p.Active, "CreatedAt": stamp(p.CreatedAt), "Version": float64(p.Version),
			"DiscountType": "percentage", "DiscountValue": float64(p.Percent) / 100,
		}
		if p.Percent == 0 {
			item["DiscountType"], item["DiscountValue"] = "fixed", amount(centsOf(p.Amount))
		}
		for name, m := range map[string]dynastay.Money{"": p.Amount, "MinBookingAmount": p.MinAmount, "MaxDiscountAmount": p.MaxDiscount} {
			if m.IsSet() {
				item["Currency"] = string(m.Currency())
			}
			if m.IsSet() && name != "" {
				item[name] = amount(centsOf(m))
			}
		}
		for name, t := range map[string]time.Time{"ValidFrom": p.ValidFrom, "ValidUntil": p.ValidUntil} {
			if !t.IsZero() {
				item[name] = stamp(t)
			}
		}
		if p.UsageLimit > 0 {
			item["UsageLimit"] = float64(p.UsageLimit)
		}
		items["PROMO#"+code+"/METADATA"] = item
	}
	return items
}

// coding creates a promo code.
type coding struct {
	code            string
	percent         dynastay.Percent // 0 for a fixed amount
	cents, min, max int64
	currency        dynastay.Currency
	from, until     moment // after now
	limit           int
	active          bool
	spoilt          int // which field is invalid; 0 for none
	key             keyChoice
}

// codePool are the texts of codes; some are the same code.
var codePool = []string{"SAVE", "save", " Ten ", "TEN", "Été", "A B", "NIGHT", "VIP", "LAST"}

func drawCoding(t *rapid.T) worldStep {
	s := coding{
		code: model.OneOf(t, "code", codePool...), percent: model.OneOf(t, "percent", dynastay.Percent(0), 0, 10_00, 12_50, 33_33, 100_00), cents: model.OneOf(t, "amount", int64(2_500), 15_000, 1),
		min: model.OneOf(t, "min", int64(0), 0, 0, 15_000, 20_001), max: model.OneOf(t, "max", int64(0), 0, 0, 2_000),
		currency: model.OneOf(t, "currency", dynastay.Currency("USD"), "USD", "USD", "EUR"),
		limit:    model.OneOf(t, "limit", 0, 0, 1, 1, 2, 3), active: !onceIn(t, 6, "inactive"), spoilt: max(0, model.UpTo(t, 30, "spoilt")-26), key: drawKey(t),
	}
	hours := []time.Duration{-time.Hour, 10 * time.Minute, 20 * time.Hour}
	if from := model.OneOf(t, "from", hours...); onceIn(t, 3, "has from") {
		s.from = &from
	}
	if until := model.OneOf(t, "until", 10*time.Minute, 20*time.Hour, 50*time.Hour); onceIn(t, 3, "has until") {
		s.until = &until
	}
	return s
}

func (s coding) String() string {
	return fmt.Sprintf("create code %q: %s %% or %d cents, min %d, max %d, %s; from %s until %s, limit %d, active %t, spoilt %d, key %d", s.code,
		s.percent, s.cents, s.min, s.max, s.currency, shownValue(s.from), shownValue(s.until), s.limit, s.active, s.spoilt, s.key)
}

// new returns the code.
func (s coding) new(now time.Time) (p bookings.PromoCode, invalid error) {
	money := func(cents int64) (m dynastay.Money) {
		if cents > 0 {
			m = dynastay.MustMoney(dollars(cents).Digits(), s.currency)
		}
		return m
	}
	p = bookings.PromoCode{Code: s.code, Percent: s.percent, MinAmount: money(s.min), MaxDiscount: money(s.max), UsageLimit: s.limit, Active: s.active}
	if s.percent == 0 {
		p.Amount = money(s.cents)
	}
	if s.from != nil {
		p.ValidFrom = now.Add(*s.from)
	}
	if s.until != nil {
		p.ValidUntil = now.Add(*s.until)
	}
	field := ""
	switch {
	case s.spoilt == 1:
		p.Percent, p.Amount, field = 10_00, dollars(100), "Amount"
	case s.spoilt == 2:
		p.Percent, p.Amount, field = 0, dynastay.Money{}, "Percent"
	case s.spoilt == 3:
		p.UsageCount, field = 1, "UsageCount"
	case s.spoilt == 4:
		p.UsageLimit, field = -1, "UsageLimit"
	}
	if p.ValidUntil.Before(p.ValidFrom) && !p.ValidUntil.IsZero() {
		field = "ValidUntil"
	}
	if field != "" {
		invalid = dynastay.Invalid(field, "…")
	}
	return p, invalid
}

func (s coding) run(w *world, on program) {
	p, invalid := s.new(w.db.Now())
	w.writeCode(w.createCode(p, invalid), s.key, on)
}

// offer creates some codes, of which one can always be used.
func (w *world) offer() {
	past, day, later := -time.Hour, 50*time.Hour, 5*time.Hour
	for _, s := range []coding{
		{code: "LAST", percent: model.OneOf(w.t, "percent", dynastay.Percent(12_50), 33_33, 100_00), min: model.OneOf(w.t, "min", int64(0), 10_001, 20_001), active: true, currency: "USD"},
		{code: "Ten", cents: 2_500, limit: model.OneOf(w.t, "limit", 1, 2), active: true, currency: "USD"},
		{code: "NIGHT", percent: 12_50, max: model.OneOf(w.t, "max", int64(0), 2_000), until: &day, active: true,
			from: model.OneOf(w.t, "from", &past, &past, &past, &later), currency: model.OneOf(w.t, "currency", dynastay.Currency("USD"), "USD", "USD", "EUR")},
	} {
		s.run(w, newProgram(w.db.Direct))
	}
}

// codeWrite is a call that creates a code or switches it.
type codeWrite struct {
	name, input string
	do          func(on program, opts ...dynastay.WriteOption) (*bookings.PromoCode, error)
	expected    func() (bookings.PromoCode, error)
	invalid     error
	varied      func() codeWrite
	again       bool // it can be repeated without a key
}

func (w *world) createCode(p bookings.PromoCode, invalid error) codeWrite {
	return codeWrite{
		name: "create code", input: fmt.Sprint(typedCode(p.Code), p.Percent, p.Amount, p.MinAmount, p.MaxDiscount, p.ValidFrom, p.ValidUntil, p.UsageLimit, p.Active),
		invalid: invalid,
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.PromoCode, error) {
			return on.repo.CreatePromoCode(context.Background(), p, opts...)
		},
		expected: func() (bookings.PromoCode, error) {
			code := p
			code.Code, code.CreatedAt, code.Version = typedCode(p.Code), w.db.Now(), 1
			if _, there := w.codes[code.Code]; there {
				return code, dynastay.ErrAlreadyExists
			}
			return code, nil
		},
		varied: func() codeWrite {
			other := p
			other.Active = !p.Active
			return w.createCode(other, invalid)
		},
	}
}

// switchCode activates or deactivates a code.
func (w *world) switchCode(text string, active bool) codeWrite {
	c := codeWrite{
		name: "deactivate", input: typedCode(text), again: true,
		expected: func() (bookings.PromoCode, error) {
			code, there := w.codes[typedCode(text)]
			if !there {
				return code.PromoCode, dynastay.ErrNotFound
			}
			if code.Active != active {
				code.Active = active
				code.Version++
			}
			return code.PromoCode, nil
		},
		varied: func() codeWrite { return w.switchCode(text+"X", active) },
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.PromoCode, error) {
			return on.repo.DeactivatePromoCode(context.Background(), text, opts...)
		},
	}
	if active {
		c.name = "activate"
		c.do = func(on program, opts ...dynastay.WriteOption) (*bookings.PromoCode, error) {
			return on.repo.ActivatePromoCode(context.Background(), text, opts...)
		}
	}
	return c
}

// writeCode makes a call, and repeats it until its outcome is known.
func (w *world) writeCode(c codeWrite, choice keyChoice, on program) {
	w.writeCodeWith(c, w.keyFor(choice, func(key string, vary int, on program) {
		again := c
		if vary < 4 {
			again = c.varied()
		}
		w.writeCodeWith(again, key, on)
	}), on)
}

func (w *world) writeCodeWith(c codeWrite, key string, on program) {
	after, no := bookings.PromoCode{}, c.invalid
	used, repeated := w.records[key]
	switch {
	case no != nil:
	case repeated && (used.name != c.name || used.input != c.input):
		no = dynastay.ErrIdempotencyMismatch
	case repeated:
		after = w.codes[used.of].PromoCode
	default:
		after, no = c.expected()
	}
	opts, sent := keyOption(key), w.db.Faults.Record()
	got, err := c.do(on, opts...)
	wire.Consistent(w.t, sent())
	unknown := errors.Is(err, dynastay.ErrOutcomeUnknown)
	if unknown || w.gaveUp(err) {
		w.recover()
		if !unknown && key == "" {
			w.verify() // nothing was written
		}
		if c.again || key != "" || !unknown || !w.storedCode(after.Code) {
			got, err = c.do(w.programs[len(w.order)%2], opts...)
		} else {
			got, err = w.programs[0].repo.PromoCode(context.Background(), after.Code, dynastay.Consistent)
		}
	}
	if no != nil {
		w.fails(no, err)
		for why := range whyRefused(no) {
			w.met.Add(c.name+": "+why, 1)
		}
		return
	}
	require.NoError(w.t, err)
	if _, there := w.codes[after.Code]; !there {
		w.codeNames = append(w.codeNames, after.Code)
	}
	w.codes[after.Code] = worldCode{after}
	if key != "" {
		w.records[key] = record{c.name, c.input, after.Code}
	}
	w.met.Add(c.name+": done", 1)
	require.Equal(w.t, w.wantCode(after.Code), got)
}

// storedCode reports whether a code that was to be created is there.
func (w *world) storedCode(code string) bool {
	_, known := w.codes[code]
	row, err := w.db.Direct.Get(context.Background(), keys.MetadataTable, dynastay.Key{PK: "PROMO#" + code, SK: "METADATA"}, dynastay.Consistent)
	require.NoError(w.t, err)
	return row.Exists() && !known
}

// choosingCode is the choice of a code, in one of the spellings in which guests type it.
type choosingCode struct{ back, spelling int }

// drawCode draws one of the last codes, an unknown one, or none.
func drawCode(t *rapid.T) choosingCode {
	return choosingCode{model.UpTo(t, 7, "code"), model.UpTo(t, 4, "spelling")}
}

func (s choosingCode) text(w *world) string {
	code := "NOTHING"
	if s.back < 7 {
		code = w.codeNames[len(w.codeNames)-1-s.back%len(w.codeNames)]
	}
	switch s.spelling {
	case 0:
		code = strings.ToLower(strings.ReplaceAll(code, "É", "")) // of which a code with É is another one
	case 1:
		code = " " + code + " "
	}
	return code
}

// switching activates or deactivates a code, or finds it.
type switching struct {
	choosingCode
	name string
	key  keyChoice
}

func drawSwitching(t *rapid.T) worldStep {
	return switching{drawCode(t), model.OneOf(t, "switch", "activate", "activate", "deactivate", "find", "find"), drawKey(t)}
}

func (s switching) String() string {
	return fmt.Sprintf("%s code %+v, key %d", s.name, s.choosingCode, s.key)
}

func (s switching) run(w *world, on program) {
	text := s.text(w)
	if s.name != "find" {
		w.writeCode(w.switchCode(text, s.name == "activate"), s.key, on)
		return
	}
	got, err := on.repo.PromoCode(context.Background(), text, options(s.key == noKey)...)
	if _, there := w.codes[typedCode(text)]; there {
		w.reads(w.wantCode(typedCode(text)), got, err)
		w.met.Add("find code: found", 1)
	} else if !w.gaveUp(err) {
		w.fails(dynastay.ErrNotFound, err)
	}
}

// atEdge sets the clock around the beginning or the end of a code, if that is still to come.
func (w *world) atEdge(code string, edge int) {
	p := w.codes[code]
	end := p.ValidUntil.Truncate(time.Second).Add(time.Second)
	for _, at := range []time.Time{p.ValidFrom.Add(-time.Millisecond), p.ValidFrom, end.Add(-time.Millisecond), end}[edge:] {
		if at.After(w.db.Now()) {
			w.db.Clock.Set(at)
			return
		}
	}
}
