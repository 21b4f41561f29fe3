package hotel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
	"github.com/dynastay/dynastay/keys"
)

// promo is a code of the house, which bookings use, and which is switched off and on. Its amounts are in cents.
type promo struct {
	code                string
	percent             int64 // in hundredths of a percent
	amount, most, least int64
	limit               int

	mu       sync.Mutex
	switches []*promoSwitch
}

// promoSwitch is one call that activates a code, or deactivates it.
type promoSwitch struct {
	*checker.Deed
	active bool
}

// newPromos creates the codes. Stays of tonight are never returned, so they use only the first one, which has no limit.
func newPromos(c *checker.Run) []*promo {
	all := []*promo{
		{code: "OPEN", percent: 333},
		{code: "RARE", percent: 12_50, limit: 3},
		{code: "CAPPED", percent: 50_00, most: 300_00, limit: 6},
		{code: "GIFT", amount: 600_00, limit: 5},
		{code: "LONG", percent: 10_00, least: 500_00, limit: 5},
	}
	for _, p := range all {
		_, err := bookings.New(c.Base.Direct, nil).CreatePromoCode(c.T.Context(), bookings.PromoCode{
			Code: p.code, Percent: dynastay.Percent(p.percent), Amount: checker.Dollars(p.amount), MaxDiscount: checker.Dollars(p.most),
			MinAmount: checker.Dollars(p.least), UsageLimit: p.limit, Active: true,
		})
		if err != nil {
			c.T.Fatal(err)
		}
	}
	return all
}

// discount is what the code gives for rooms at a price, in cents; ok is false if they cost too little.
func (p *promo) discount(rooms int64) (cents int64, ok bool) {
	cents = p.amount
	if p.percent > 0 {
		cents = (rooms*p.percent + 50_00) / 100_00 // half a cent is rounded up
	}
	if p.most > 0 {
		cents = min(cents, p.most)
	}
	return min(cents, rooms), rooms >= p.least
}

// promoOf is the code with a name, as it is stored or typed; nil for none.
func (s *sales) promoOf(text string) *promo {
	for _, p := range s.promos {
		if p.code == strings.ToUpper(strings.TrimSpace(text)) {
			return p
		}
	}
	return nil
}

// typed draws a code for a booking, as a guest types it, or none, and the discount that the guest was told, if any.
func (s *sales) typed(w *checker.Worker, a *ask, rooms int64) (text string, told dynastay.Money) {
	p := s.promos[0]
	if !a.arrives() {
		p = s.promos[w.Rand.IntN(len(s.promos))]
	}
	if w.OneIn(3) {
		return "", told
	}
	if cents, ok := p.discount(rooms); ok && w.OneIn(2) {
		told = checker.Dollars(cents)
	}
	return []string{p.code, strings.ToLower(p.code), " " + p.code + " "}[w.Rand.IntN(3)], told
}

// switchPromo activates a code, which is active most of the time, or deactivates it.
func (s *sales) switchPromo(w *checker.Worker) {
	s.switched.Do(w, func(keyed bool) *promoSwitch {
		p, mark := s.promos[w.Rand.IntN(len(s.promos))], w.Mark()
		t := &promoSwitch{active: !w.OneIn(4)}
		name := map[bool]string{true: "activate", false: "deactivate"}[t.active]
		t.Deed = w.Deed(mark, name, p.code, p.code, keyed, checker.Never,
			func(ctx context.Context, process *checker.Process, parts ...dynastay.Part) error {
				op := officeOf(process).bookings.DeactivatePromoCodeOp(p.code)
				if t.active {
					op = officeOf(process).bookings.ActivatePromoCodeOp(p.code)
				}
				err := process.Write(ctx, append(parts, op)...)
				if err == nil && (op.Result().Code != p.code || !keyed && op.Result().Active != t.active) {
					s.Differ("a code with another result", p.code, "%s returned %v", mark, *op.Result())
				}
				return err
			})
		p.mu.Lock()
		defer p.mu.Unlock()
		p.switches = append(p.switches, t)
		return t
	})
}

// unusable tells the refusals of a promo code.
func unusable(err error) bool {
	var promo *bookings.PromoError
	return errors.As(err, &promo)
}

// use is a booking that has a code, and the time within which it can have had it.
type use struct {
	promo *promo
	checker.Span
}

// checkPromo follows the code of a booking from its creation through its modifications, and computes what it pays. It
// notes when each code was used.
func (s *sales) checkPromo(l *stayLife) {
	p, rooms, kept := s.promoOf(l.ask.code), checker.Minor(l.ask.quote.Total), int64(0)
	now := use{p, checker.Since(l.ask.from)}
	discount, had := s.discountOf(l, p, rooms, nil)
	for _, m := range l.modified {
		if m.to.PromoCode != nil {
			p = s.promoOf(*m.to.PromoCode)
		}
		if m.to.Quote != nil {
			rooms = checker.Minor(m.to.Quote.Total)
			kept += checker.Minor(m.to.Kept) // otherwise, it would have been refused
		}
		if p != had {
			now.To = m.Within.To
			l.uses = append(l.uses, now)
			now = use{p, checker.Since(m.Within.From)}
		}
		discount, had = s.discountOf(l, p, rooms, had)
	}
	if !l.live() && len(l.statuses) > 1 {
		now.To = l.statuses[len(l.statuses)-2].To
	}
	l.uses = append(l.uses, now)
	if s.promoOf(l.text("PromoCode")) != p || p != nil && l.text("PromoCode") != p.code {
		s.Differ("a booking with another code", l.id, "%q", l.text("PromoCode"))
	}
	prices := l.plain["PriceBreakdown"].(plain)
	if checker.Cents(prices["RoomTotal"]) != rooms || checker.Cents(prices["Discounts"]) != discount || checker.Cents(prices["Kept"]) != kept ||
		checker.Cents(l.plain["TotalAmount"]) != rooms+checker.Cents(prices["TaxesAndFees"])-discount+kept {
		s.Differ("a booking at another price", l.id, "%v, total %v, instead of %d less %d and %d kept", prices, l.plain["TotalAmount"], rooms, discount, kept)
	}
}

// discountOf is the discount that a code gives to a booking which had another one, or had it already: then it keeps it
// even if its rooms cost too little, for which there is no discount.
func (s *sales) discountOf(l *stayLife, p *promo, rooms int64, had *promo) (int64, *promo) {
	if p == nil {
		return 0, nil
	}
	cents, ok := p.discount(rooms)
	if !ok {
		cents = 0
		if p != had {
			s.Differ("a code for rooms that cost too little", l.id, "%s for %d", p.code, rooms)
		}
	}
	return cents, p
}

// checkPromos adds up the uses of the codes: each one belongs to one booking that has its rooms.
func (s *sales) checkPromos(lives map[string]*stayLife, all map[string]*found) {
	used := map[string]int{}
	for _, f := range all {
		if f.live() {
			used[f.text("PromoCode")]++
		}
	}
	stored := map[string]plain{}
	for _, p := range s.Scan(keys.MetadataTable) {
		stored[strings.TrimPrefix(p["PK"].(string), "PROMO#")] = p
	}
	for _, p := range s.promos {
		if text := p.wrong(stored[p.code], used[p.code]); text != "" {
			s.Differ("a code that does not add up", p.code, "%s: %v", text, stored[p.code])
		}
	}
	for _, a := range s.asked {
		for _, told := range a.refusals {
			s.checkUnusable(lives, a.code, checker.Minor(a.quote.Total), told)
		}
	}
	for _, m := range s.modifications {
		code := ""
		if m.to.PromoCode != nil {
			code = *m.to.PromoCode
		}
		rooms := int64(-1)
		if m.to.Quote != nil {
			rooms = checker.Minor(m.to.Quote.Total)
		}
		for _, told := range m.Refusals {
			s.checkUnusable(lives, code, rooms, told)
		}
	}
}

// wrong says what of a stored code does not follow from its uses and its switches, "" for nothing.
func (p *promo) wrong(stored plain, used int) string {
	count, _ := stored["UsageCount"].(float64)
	version, _ := stored["Version"].(float64)
	active, _ := stored["IsActive"].(bool)
	switched := 0
	for _, t := range p.switches {
		if t.Verdict() != checker.Refused {
			switched++
		}
	}
	switch {
	case int(count) != used:
		return fmt.Sprintf("%d bookings use it", used)
	case p.limit > 0 && used > p.limit:
		return "more bookings use it than may"
	case active != (int(version)%2 == 1) || int(version) < 1 || int(version) > 1+switched:
		return fmt.Sprintf("it was switched %d times at most", switched)
	case !p.lastSwitched(active):
		return "it was last switched to the contrary"
	}
	return ""
}

// lastSwitched reports whether the code can have been switched so at last.
func (p *promo) lastSwitched(active bool) bool {
	last := checker.Moment(-1)
	if active {
		last = 0 // as it was created
	}
	for _, t := range p.switches {
		if t.active == active && t.Verdict() != checker.Refused {
			last = max(last, t.Within.To)
		}
	}
	return last >= 0 && !slices.ContainsFunc(p.switches, func(t *promoSwitch) bool {
		return t.active != active && t.Verdict() == checker.Acknowledged && t.Within.From > last
	})
}

// checkUnusable compares the refusal of a code with what the code can have been during the call. The price of the rooms
// is -1 for those that the booking has.
func (s *sales) checkUnusable(lives map[string]*stayLife, code string, rooms int64, told checker.Told) {
	var refusal *bookings.PromoError
	if !errors.As(told.Err, &refusal) {
		return
	}
	p := s.promoOf(code)
	may := p != nil && refusal.Code == p.code
	switch {
	case !may:
	case refusal.Err == bookings.ErrPromoInactive:
		may = p.mayBeInactive(told.Span)
	case refusal.Err == bookings.ErrPromoUsedUp:
		may = p.limit > 0 && p.mostUsed(lives, told.Span) >= p.limit
	case refusal.Err == bookings.ErrPromoMinimum:
		may = rooms < p.least && checker.Minor(refusal.Minimum) == p.least
	default:
		may = false
	}
	if !may {
		s.Differ("a refusal that was not true", code, "rooms for %d: %v", rooms, told.Err)
	}
}

// mayBeInactive reports whether the code can have been inactive at some moment of a call.
func (p *promo) mayBeInactive(at checker.Span) bool {
	return slices.ContainsFunc(p.switches, func(off *promoSwitch) bool {
		return !off.active && off.Verdict() != checker.Refused && off.Within.From <= at.To &&
			!slices.ContainsFunc(p.switches, func(on *promoSwitch) bool {
				return on.active && on.Verdict() == checker.Acknowledged && on.Within.From > off.Within.To && on.Within.To < at.From
			})
	})
}

// mostUsed is how many bookings can have had the code at most, at the moments of a call.
func (p *promo) mostUsed(lives map[string]*stayLife, at checker.Span) (n int) {
	for _, l := range lives {
		if slices.ContainsFunc(l.uses, func(u use) bool { return u.promo == p && u.Meets(at) }) {
			n++
		}
	}
	return n
}
