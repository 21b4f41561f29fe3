package bookings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// modifying is a modification that is being prepared.
// See docs/decisions/0014-modifications.md for which rules and prices hold.
type modifying struct {
	*Repository
	Modification
	now   time.Time
	rows  stored
	had   []Line             // the lines as they were read
	bill  *charges.Bill      // the charges as they were read
	lines []int              // the numbers of the lines of the quote
	known []int              // the same, 0 for a line that goes on with none of the booking
	sale  *availability.Sale // nil if the rooms stay as they are
	taken promo              // the code whose use is counted

	before, after *Booking
}

// modify adds the actions of a modification.
func (r *Repository) modify(ctx context.Context, tx *dynastay.Tx, key dynastay.Key, m Modification) (Modified, error) {
	rows, err := r.readFor(ctx, tx, key)
	if err != nil {
		return Modified{}, err
	}
	p := &modifying{Repository: r, Modification: m, now: r.db.Now(), rows: rows}
	change, err := r.table.ChangeOf(key, rows.booking, func(b *Booking) error { return p.edit(ctx, b) })
	if err != nil {
		return Modified{}, err
	}
	p.before, p.after = change.Before, change.After
	if contest := p.contest(); len(contest.Items) > 0 {
		if err := tx.Contend(ctx, contest); err != nil {
			return Modified{}, err
		}
	}
	done := Modified{Booking: change.After}
	lines, bill := p.had, p.bill
	if p.sale != nil {
		if lines, done.Missing, err = p.sell(ctx, tx, change); err != nil {
			return Modified{}, err
		}
		before, after := *p.before, *change.After
		before.Lines, after.Lines = p.had, lines
		if err := r.followUnits(ctx, tx, &before, &after, p.now); err != nil {
			return Modified{}, err
		}
		bill = p.Quote.Charges.Clone()
		change.After.Lines, change.After.Charges = lines, bill
		differs, err := writeCharges(tx, change.After, p.rows.charges)
		if err != nil {
			return Modified{}, err
		}
		if differs {
			change.Touch() // what is due at the property may differ only
		}
	}
	p.usePromos(tx)
	if p.reprices() {
		if err := p.pay(tx, change); err != nil {
			return Modified{}, err
		}
	}
	if err := change.AddTo(tx); err != nil {
		return Modified{}, err
	}
	change.After.Lines, change.After.Charges = lines, bill
	return done, nil
}

// edit makes the booking what the modification says, except for its lines.
func (p *modifying) edit(ctx context.Context, b *Booking) error {
	if err := p.rows.addLines(b); err != nil {
		return err
	}
	p.had, p.bill = b.Lines, b.Charges
	if err := modify.check(b, p.now); err != nil {
		return err
	}
	if p.Version != b.Version {
		return &dynastay.Error{Op: modify.name, Entity: "Booking", ID: b.ID, Kind: dynastay.ErrVersion}
	}
	if p.Guest != nil {
		b.Guest = *p.Guest
	}
	if p.SpecialRequests != nil {
		b.SpecialRequests = *p.SpecialRequests
	}
	if p.Data != nil {
		b.Data = p.Data
	}
	if p.Quote != nil {
		if err := p.requote(b); err != nil {
			return err
		}
	}
	if !p.reprices() {
		return nil
	}
	return p.reprice(ctx, b)
}

// reprices reports whether the booking may get another total.
func (p *modifying) reprices() bool { return p.Quote != nil || p.Modification.PromoCode != nil }

// requote gives the booking what the quote says, except for the price.
func (p *modifying) requote(b *Booking) error {
	if err := p.fits(b); err != nil {
		return err
	}
	has, err := b.booked(p.now)
	if err != nil {
		return err
	}
	p.sale = p.nights.SaleFor(p.Quote, has)
	if err := cmp.Or(p.sale.Current(p.now), p.fresh(p.Quote), b.keepsLines(p.Quote, has, "Lines")); err != nil {
		return dynastay.Within("Quote", err)
	}
	p.known = make([]int, len(p.Quote.Lines))
	for i, with := range has.GoesOn(p.Quote.Lines) {
		if with >= 0 {
			p.known[i] = cmp.Or(has.Lines[with].Number, 1)
		}
	}
	if p.lines, err = b.number(p.Quote.Lines, p.known); err != nil {
		return dynastay.Within("Quote", err)
	}
	var up givenUp
	if !p.Waive {
		if up, err = p.giveUp(b, p.Quote, has, p.now); err != nil {
			return err
		}
		if err := toldOfKept(p.Kept, up.kept); err != nil {
			return err
		}
	}
	b.PolicyCheckIn = up.policyCheckIn
	if b.Breakdown.Kept, err = b.Breakdown.Kept.Add(up.kept); err != nil {
		return dynastay.Within("Kept", err)
	}
	return dynastay.Within("Quote.Total", b.agree(p.Quote, p.TaxesAndFees))
}

// reprice gives the booking its discount and its total.
func (p *modifying) reprice(ctx context.Context, b *Booking) (err error) {
	if p.Quote == nil {
		if b.Charges != nil {
			return dynastay.Invalid("Quote", "is required, because the charges of the booking follow its discount")
		}
		// The rooms keep their price, which other software may have stored without its parts, or with others.
		parts := *b
		if err := parts.addUp(); err != nil || !b.Breakdown.Rooms.IsSet() || parts.Total != b.Total {
			return &dynastay.Error{
				Op: modify.name, Entity: "Booking", ID: b.ID, Field: "PriceBreakdown", Kind: dynastay.ErrCorrupt, Err: errBreakdown,
			}
		}
	}
	if p.taken, err = p.rediscount(ctx, b, p.Modification); err != nil {
		return err
	}
	if err := expected(p.Discounts, b.Breakdown.Discounts); err != nil {
		return err
	}
	if p.Quote != nil {
		if err := charged(p.Quote, b.Breakdown.Discounts); err != nil {
			return err
		}
	}
	if err := b.addUp(); err != nil {
		return dynastay.Within("Quote.Total", err)
	}
	if price, err := b.price(); err != nil || price.Sign() < 0 {
		return dynastay.Invalid("Quote.Total", "must be at least the discounts of the booking, %s", b.Breakdown.Discounts)
	}
	return p.cancellable(b)
}

// cancellable returns an error if the booking would have more nights than its cancellation could return.
func (p *modifying) cancellable(b *Booking) error {
	if p.Quote == nil {
		return nil
	}
	types := map[string]bool{}
	for _, line := range p.Quote.Lines {
		types[line.RoomTypeID] = true
	}
	n, most := p.Quote.Stay.Nights()*len(types), mostModified
	if b.PromoCode != "" {
		most--
	}
	if n <= most {
		return nil
	}
	reason := fmt.Sprintf("must have at most %d nights (nights × room types), got %d: more could not be returned in one transaction", most, n)
	return &dynastay.InvalidError{Field: "Quote", Reason: reason, Err: &dynastay.TooLargeError{Actions: n + 100 - most}}
}

// errBreakdown is about items of other software.
var errBreakdown = errors.New("its parts must add up to the total")

// sell adds the actions for the rooms, and returns the new lines.
func (p *modifying) sell(ctx context.Context, tx *dynastay.Tx, change *entity.Change[Booking]) ([]Line, []MissingNight, error) {
	sold, err := p.sale.Add(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	for i := range sold.Lines {
		sold.Lines[i].Number = p.lines[i]
	}
	lines, changed, err := p.modifyLines(tx, change.After, sold.Lines)
	if err != nil {
		return nil, nil, err
	}
	if changed {
		// The booking itself may be the same, if one room type is exchanged for another one at the same price. The condition
		// on it and its new version keep two such calls, or this one and a cancellation, from both being carried out.
		change.Touch()
	}
	return lines, sold.Missing, nil
}

// fresh returns an error for a quote under a rate plan, with a party, at agreed prices or with charges that is too old.
func (r *Repository) fresh(q *availability.Quote) error {
	if !q.Planned() || r.db.Now().Before(q.At.Add(r.opts.QuotesFor)) {
		return nil
	}
	return &dynastay.InvalidError{
		Field: "At", Reason: fmt.Sprintf("must be less than %s ago, because the quote has a rate plan, a party, agreed prices or charges", r.opts.QuotesFor),
		Err: ErrOldQuote,
	}
}

// ErrOldQuote means that a quote under a rate plan, with a party, at agreed prices or with charges was booked later than
// [Options.QuotesFor] allows. Quote again. The [*dynastay.InvalidError] for such a quote matches it with [errors.Is].
var ErrOldQuote = errors.New("the quote is too old")

// usePromos counts the use of a code that is new, and returns that of the one before.
func (p *modifying) usePromos(tx *dynastay.Tx) {
	if p.taken.PromoCode != nil {
		p.taken.take(tx)
	}
	if p.after.PromoCode != p.before.PromoCode {
		p.before.returnPromo(tx)
	}
}

// pay gives the booking the payment status that follows from its new total, and by when it is due.
func (p *modifying) pay(tx *dynastay.Tx, change *entity.Change[Booking]) error {
	summary, err := p.ledger.settle(tx, p.rows, change, nil)
	if err != nil || summary != nil || change.Before.PaymentStatus != change.Before.unpaid() {
		return err
	}
	return change.Keep(func(b *Booking) error {
		b.PaymentStatus, b.DueAt = b.unpaid(), b.dueAt(dynastay.Money{})
		return nil
	})
}

// contest is that for the nights and the promo codes. A refusal counts only as long as the booking is as it was read:
// if it has been modified in the meantime, perhaps by the same guest who has clicked twice, the rooms that are missing
// may be its own.
func (p *modifying) contest() dynastay.Contest {
	var contest dynastay.Contest
	if p.sale != nil {
		contest = *p.sale.Contest()
	}
	var taken, returned []dynastay.Ref
	if p.taken.PromoCode != nil {
		taken = []dynastay.Ref{dynastay.RefOf(keys.MetadataTable, keys.MetadataTable.Key.From(p.taken.row))}
	}
	if ref, ok := p.before.promoRef(); ok && p.after.PromoCode != p.before.PromoCode {
		returned = []dynastay.Ref{ref}
	}
	contest = p.contestFor(contest, taken, returned)
	contest.Still = func(ctx context.Context) (bool, error) { return p.unchanged(ctx, p.rows.booking) }
	return contest
}

// errLines is about items of other software.
var errLines = errors.New("each line must have a room type and number of its own")

// booked returns what the booking has already. The lines of other software have no nightly prices, but one for all
// nights.
func (b *Booking) booked(now time.Time) (availability.Booked, error) {
	arrived := b.Status == CheckedIn || b.today(now).After(b.Stay.CheckIn)
	has := availability.Booked{Stay: b.Stay, Arrived: arrived}
	if !b.CreatedAt.IsZero() {
		has.On = b.today(b.CreatedAt)
		if has.On.After(b.Stay.CheckIn) { // a guest who walked in after midnight was sold the night on its own date
			has.On = b.Stay.CheckIn
		}
	}
	type name struct {
		roomTypeID string
		number     int
	}
	seen := map[name]bool{}
	for _, line := range b.Lines {
		is := name{line.RoomTypeID, cmp.Or(line.Number, 1)}
		if line.RoomTypeID == "" || seen[is] {
			return has, &dynastay.Error{Op: modify.name, Entity: "Booking", ID: b.ID, Kind: dynastay.ErrCorrupt, Err: errLines}
		}
		seen[is] = true
		// Other software may have stored a stay of any length. If more nights must be returned than a transaction can, fail
		// before listing them.
		if n := b.Stay.Nights() - availability.MaxNights; n > mostReturned {
			return has, tooManyNights(n)
		}
		sold := line.Line
		if len(sold.Nights) == 0 {
			for date := range b.Stay.Dates() {
				sold.Nights = append(sold.Nights, availability.NightPrice{Date: date, Price: line.PricePerNight})
			}
		}
		has.Lines = append(has.Lines, sold)
	}
	return has, nil
}
