package world

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/properties"
)

const (
	promoPercent    = 40 // of the hotels have a promo code
	inactivePercent = 15 // of the codes have been deactivated
	endedPercent    = 20 // of the codes ended before Today
	fixedPercent    = 30 // of the codes give a fixed amount
	usePercent      = 30 // of the guests who can use a code do
	smallPercent    = 20 // of these type it with lower-case letters
)

var (
	promoWords = []string{"CITY", "STAY", "HELLO", "WEEKEND", "SUMMER", "BREAK"}
	promoRates = []dynastay.Percent{5_00, 10_00, 12_50, 15_00, 20_00}
	useLimits  = []share[int]{{25, 0}, {15, 1}, {15, 2}, {20, 5}, {15, 20}, {10, 100}}
)

// promo is the plan of a hotel's promo code. A nil promo is none.
type promo struct {
	code     bookings.PromoCode // as it is created
	inactive bool               // since the start of Today
}

// promo plans the promo code of the i-th hotel, which is created when the nights are put on sale.
func (w *World) promo(i int, h *house) *promo {
	d := w.dice(forPromo, i)
	if h.property.Status != properties.Approved || !d.percent(promoPercent) {
		return nil
	}
	until := w.opts.Today.AddDays(d.between(1, 90))
	from := w.opts.Today.AddDays(-d.between(20, bookingDays))
	if d.percent(endedPercent) {
		until = w.opts.Today.AddDays(-d.between(1, 15))
	}
	p := &promo{inactive: d.percent(inactivePercent), code: bookings.PromoCode{
		Code:      fmt.Sprintf("%s-%06d", pick(d, promoWords), i),
		ValidFrom: from.Time(), ValidUntil: until.AddDays(1).Time().Add(-time.Second),
		UsageLimit: draw(d, useLimits), Active: true,
	}}
	p.discount(d, h)
	return p
}

// discount gives the code its discount: a fixed amount for two nights or more, or a percentage, which may be limited.
func (p *promo) discount(d dice, h *house) {
	night := h.cheapest()
	tenths := d.between(2, 4)
	if d.percent(fixedPercent) {
		p.code.Amount, p.code.MinAmount = times(night, tenths, 10), times(night, 2, 1)
		p.code.Description = fmt.Sprintf("%s off two nights or more at %s", p.code.Amount, h.property.Name)
		return
	}
	p.code.Percent = pick(d, promoRates)
	p.code.Description = fmt.Sprintf("%s %% off your rooms at %s", p.code.Percent, h.property.Name)
	if d.percent(50) {
		p.code.MaxDiscount = times(night, tenths, 10)
		p.code.Description += fmt.Sprintf(", up to %s", p.code.MaxDiscount)
	}
}

// cheapest returns the lowest price of a night.
func (h *house) cheapest() dynastay.Money {
	lowest := h.prices[0].weekday
	for _, p := range h.prices {
		for _, price := range []dynastay.Money{p.weekday, p.weekend} {
			if order, err := price.Compare(lowest); err == nil && order < 0 {
				lowest = price
			}
		}
	}
	return lowest
}

// times returns a part or a multiple of a price, which has few digits, so it cannot fail.
func times(price dynastay.Money, n, of int) dynastay.Money {
	m, err := price.Portion(n, of)
	must(err)
	return m
}

// discounts plans which guests use the promo code: some of those who can, in the order of their bookings.
func (h *house) discounts(d dice, sales []sale) {
	if h.promo == nil {
		return
	}
	code := h.promo.code // with the uses at the time
	for _, step := range steps(sales) {
		s := &sales[step.n]
		switch {
		case step.does == moves && s.code != "" && s.endsUnused():
			code.UsageCount--
		case step.does == creates && s.roomNights() > 1 && code.Usable(step.at) == nil && d.percent(usePercent):
			s.code = code.Code
			if d.percent(smallPercent) {
				s.code = strings.ToLower(code.Code)
			}
			code.UsageCount++
		}
	}
}

// roomNights returns the number of nights of all rooms of a sale.
func (s sale) roomNights() (n int) {
	for _, c := range s.rooms {
		n += c.quantity * s.nights
	}
	return n
}

// create lets the repository create the code.
func (p *promo) create(ctx context.Context, repo *bookings.Repository) error {
	if p == nil {
		return nil
	}
	_, err := repo.CreatePromoCode(ctx, p.code)
	return err
}

// end lets the repository deactivate the code, if that is planned.
func (p *promo) end(ctx context.Context, repo *bookings.Repository) error {
	if p == nil || !p.inactive {
		return nil
	}
	_, err := repo.DeactivatePromoCode(ctx, p.code.Code)
	return err
}

// readPromo lets the repository read the promo code of a hotel.
func (c *cell) readPromo(ctx context.Context, h *house) (*bookings.PromoCode, error) {
	if h.promo == nil {
		return nil, nil
	}
	return bookings.New(c.open(&c.capture), nil).PromoCode(ctx, h.promo.code.Code)
}
