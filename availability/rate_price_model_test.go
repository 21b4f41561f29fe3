package availability_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/model"
)

var (
	rateStays = flag.Int("rates.stays", 10_000, "how many random stays TestRatePricesAgreeWithRationals prices")
	rateSeed  = flag.Uint64("rates.seed", 0, "the seed of the first of them; the others follow; 0 for the time")
)

// Random stays under random plans cost what a second implementation says, which was written from the documentation only
// and calculates with fractions: every night, what it consists of and why, and what is refused. To repeat one stay:
//
//	go test ./availability -run TestRatePricesAgreeWithRationals -rates.stays=1 -rates.seed=…
func TestRatePricesAgreeWithRationals(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*rateSeed, uint64(time.Now().UnixNano()))
	t.Log("seed", seed)
	met := &model.Tally{}
	for i := range uint64(*rateStays) {
		plan, r := rateDraw{rand.New(rand.NewPCG(seed+i, 0))}.stay()
		require.NoError(t, plan.Validate(), "seed %d", seed+i)
		if r.From != nil {
			require.NoError(t, r.From.Validate(), "seed %d", seed+i)
		}
		o := rateOracle{plan: plan, r: r, met: met}
		want, refused := o.price()
		got, err := plan.Price(r)
		about := func() string { return fmt.Sprintf("seed %d: %s", seed+i, readable(t, []any{plan, r})) }
		if len(refused) > 0 {
			var failed *availability.Refused
			if !errors.As(err, &failed) || !slices.Equal(refused, failed.Nights) {
				require.Equal(t, &availability.Refused{Nights: refused}, err, about())
			}
			require.Nil(t, got)
			continue
		}
		if err != nil || !slices.EqualFunc(want, got, sameRateNight) {
			require.NoError(t, err, about())
			require.Equal(t, want, got, about())
		}
	}
	t.Log(met)
	if *rateStays < 1_000 {
		return
	}
	for _, outcome := range []string{
		"priced", "half", "tie", "derived", "party", "early_discount", "late_discount", "length_discount", "free_night",
		"meals", "meals included", "dearest age", "not_on_sale", "other_currency", "min_stay", "max_stay", "too_early",
		"too_late", "closed_to_arrival",
	} {
		assert.NotZero(t, met.Count(outcome), outcome)
	}
}

func readable(t *testing.T, v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	require.NoError(t, err)
	return string(text)
}

// inOrder returns refused nights by date, each once for each reason.
func inOrder(refused []availability.RefusedNight) []availability.RefusedNight {
	all := slices.Clone(refused)
	slices.SortStableFunc(all, func(a, b availability.RefusedNight) int { return a.Date.Compare(b.Date) })
	return slices.Compact(all)
}

func sameRateNight(a, b availability.RateNight) bool {
	same := a.Date == b.Date && a.Price == b.Price && a.Lodging == b.Lodging && a.Meals == b.Meals && a.Source == b.Source
	return same && slices.Equal(a.Steps, b.Steps)
}

// rateOracle prices a stay.
type rateOracle struct {
	plan *availability.RatePlan
	r    availability.RateRequest
	met  *model.Tally

	currency dynastay.Currency
	unit     *big.Rat
	parties  []rateExtra // what the party may add, one for each way in which unknown ages may turn out
	meals    *big.Rat    // nil without amounts
	known    map[dynastay.Money]*rateFigures
}

// rateExtra is the sum of a party's supplements.
type rateExtra struct {
	percent int64 // hundredths
	value   *big.Rat
}

// rateFigures are those of a night before discounts, which depend on nothing but its stored price.
type rateFigures struct {
	source, derived, whole, lodging *big.Rat
	refused                         bool
}

// offer is a discount that the stay gets: what it leaves of each night.
type rateOffer struct {
	kind   availability.StepKind
	nights []*big.Rat
	total  *big.Rat
}

func fraction(n, d int64) *big.Rat { return big.NewRat(n, d) }

func plus(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

// rational returns an amount; that of one that is unset is 0.
func rational(m dynastay.Money) *big.Rat {
	value := new(big.Rat)
	if m.IsSet() {
		value.SetString(m.Digits())
	}
	return value
}

// halfUp rounds to a multiple of a unit; what is in the middle goes up.
func (o *rateOracle) halfUp(x, unit *big.Rat) *big.Rat {
	units := new(big.Rat).Quo(x, unit)
	twice := new(big.Int).Lsh(units.Num(), 1)
	if twice.Add(twice, units.Denom()); units.Denom().Cmp(big.NewInt(2)) == 0 {
		o.met.Add("half", 1)
	}
	whole := new(big.Int).Div(twice, new(big.Int).Lsh(units.Denom(), 1))
	return times(new(big.Rat).SetInt(whole), unit)
}

func (o *rateOracle) money(x *big.Rat) dynastay.Money {
	return dynastay.MustMoney(x.FloatString(o.currency.MinorUnit()), o.currency)
}

func (o *rateOracle) price() (nights []availability.RateNight, refused []availability.RefusedNight) {
	o.prepare()
	refused = o.conditions()
	figures := make([]*rateFigures, len(o.r.Sources))
	for i, source := range o.r.Sources {
		date := o.r.Stay.CheckIn.AddDays(i)
		switch {
		case !source.IsSet():
			refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.NotOnSale})
		case source.Currency() != o.currency:
			refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.OtherCurrency, Price: source})
		default:
			if figures[i] = o.figures(source); figures[i].refused {
				refused = append(refused, availability.RefusedNight{Date: date, Reason: availability.NotOnSale})
			}
		}
	}
	if len(refused) > 0 {
		for i := range refused {
			refused[i].RatePlanID = o.plan.ID
			o.met.Add(string(refused[i].Reason), 1)
		}
		return nil, inOrder(refused)
	}
	o.met.Add("priced", 1)
	best := o.best(figures)
	type same struct {
		figures *rateFigures
		left    *big.Rat
	}
	made := map[same]availability.RateNight{}
	for i, f := range figures {
		night, ok := made[same{f, best.nights[i]}]
		if !ok {
			night = o.night(i, f, best)
			made[same{f, best.nights[i]}] = night
		}
		night.Date = o.r.Stay.CheckIn.AddDays(i)
		nights = append(nights, night)
	}
	return nights, nil
}

// night adds up what a night costs.
func (o *rateOracle) night(i int, f *rateFigures, best rateOffer) availability.RateNight {
	lodging := o.money(best.nights[i])
	n := availability.RateNight{Source: o.r.Sources[i], Lodging: lodging, Price: lodging}
	step := func(kind availability.StepKind, change *big.Rat) {
		if change.Sign() != 0 {
			o.met.Add(string(kind), 1)
			n.Steps = append(n.Steps, availability.Step{Kind: kind, Amount: o.money(change)})
		}
	}
	step(availability.StepDerived, minus(f.derived, f.source))
	step(availability.StepParty, minus(f.whole, f.derived))
	step(best.kind, minus(best.nights[i], f.lodging))
	if o.meals != nil {
		n.Meals, n.Price = o.money(o.meals), o.money(plus(best.nights[i], o.meals))
	}
	if o.plan.Meals.Added && o.meals != nil {
		step(availability.StepMeals, o.meals)
	} else if o.meals != nil {
		o.met.Add("meals included", 1)
	}
	return n
}

// figures derives the price of a night, adds the dearest of the supplements, and sets included meals apart.
func (o *rateOracle) figures(source dynastay.Money) *rateFigures {
	if f := o.known[source]; f != nil {
		return f
	}
	f := &rateFigures{source: rational(source)}
	o.known[source] = f
	f.derived = f.source
	if d := o.plan.Derived; d != nil {
		unit := o.unit
		if d.Step.IsSet() {
			unit = rational(d.Step)
		}
		f.derived = o.halfUp(plus(times(f.source, fraction(10_000+int64(d.Percent), 10_000)), rational(d.Amount)), unit)
	}
	var dearest *big.Rat
	for _, extra := range o.parties {
		sum := plus(plus(f.derived, times(f.derived, fraction(extra.percent, 10_000))), extra.value)
		if dearest == nil || sum.Cmp(dearest) > 0 {
			dearest = sum
		}
	}
	f.whole = o.halfUp(dearest, o.unit)
	f.lodging = f.whole
	if o.meals != nil && !o.plan.Meals.Added {
		f.lodging = minus(f.whole, o.meals)
	}
	f.refused = f.derived.Sign() < 0 || f.lodging.Sign() < 0
	return f
}

// best returns the lodging of the nights after the discount that leaves the least, the first of equal ones.
func (o *rateOracle) best(figures []*rateFigures) rateOffer {
	best := o.offer("", figures, func(_ int, lodging *big.Rat) *big.Rat { return lodging })
	try := func(kind availability.StepKind, left func(int, *big.Rat) *big.Rat) {
		switch offer := o.offer(kind, figures, left); offer.total.Cmp(best.total) {
		case -1:
			best = offer
		case 0:
			o.met.Add("tie", 1)
		}
	}
	percent := func(kind availability.StepKind, p dynastay.Percent) {
		cache := map[*big.Rat]*big.Rat{}
		try(kind, func(_ int, lodging *big.Rat) *big.Rat {
			if cache[lodging] == nil {
				cache[lodging] = o.halfUp(times(lodging, fraction(10_000-int64(p), 10_000)), o.unit)
			}
			return cache[lodging]
		})
	}
	ahead, d := o.r.Today.DaysUntil(o.r.Stay.CheckIn), o.plan.Discounts
	for _, e := range d.Early {
		if e.Days <= ahead {
			percent(availability.StepEarly, e.Percent)
		}
	}
	for _, l := range d.Late {
		if ahead <= l.Days {
			percent(availability.StepLate, l.Percent)
		}
	}
	for _, l := range d.Length {
		if l.Nights <= len(figures) {
			percent(availability.StepLength, l.Percent)
		}
	}
	if every := d.FreeNight; every > 0 {
		free := new(big.Rat)
		try(availability.StepFreeNight, func(i int, lodging *big.Rat) *big.Rat {
			if i%every == every-1 {
				return free
			}
			return lodging
		})
	}
	return best
}

func (o *rateOracle) offer(
	kind availability.StepKind, figures []*rateFigures, left func(int, *big.Rat) *big.Rat,
) rateOffer {
	offer := rateOffer{kind: kind, total: new(big.Rat), nights: make([]*big.Rat, len(figures))}
	for i, f := range figures {
		offer.nights[i] = left(i, f.lodging)
		offer.total.Add(offer.total, offer.nights[i])
	}
	return offer
}
