package charges_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/internal/testing/levy"
	"github.com/dynastay/dynastay/internal/testing/model"
)

var (
	chargesStays = flag.Int("charges.stays", 2_000, "how many random stays TestManyStays computes")
	chargesSeed  = flag.Uint64("charges.seed", 0, "the seed of the first of them; the others follow; 0 for the time")
)

// Random stays come to what a second implementation says: every entry, every part of it, and what is refused. The parts add
// up, and no total depends on the order of lines, rooms and charges. To repeat one stay:
//
//	go test ./availability/charges -run TestManyStays -charges.stays=1 -charges.seed=…
func TestManyStays(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*chargesSeed, uint64(time.Now().UnixNano()))
	t.Log("seed", seed)
	met := &model.Tally{}
	var next, failed atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(*chargesStays) && failed.Load() < 3; i = next.Add(1) - 1 {
				if wrong := checkStay(seed+uint64(i), met); wrong != "" {
					t.Errorf("seed %d: %s", seed+uint64(i), wrong)
					failed.Add(1)
				}
			}
		})
	}
	workers.Wait()
	t.Log(met)
	if *chargesStays < 2_000 {
		return
	}
	for _, outcome := range []string{
		"computed", "refused Charges", "refused Lines", "included", "added", "at the property", "deposit", "brackets of rates",
		"brackets of amounts", "one rate of brackets", "several rates", "discount", "reordered", "guests unknown",
	} {
		assert.NotZero(t, met.Count(outcome), outcome)
	}
}

// checkStay returns what is wrong with the stay of a seed.
func checkStay(seed uint64, met *model.Tally) string {
	list, b := levy.New(seed).Stay()
	about := func(format string, args ...any) string {
		text, _ := json.MarshalIndent([]any{list, b}, "", " ")
		return fmt.Sprintf(format, args...) + "\n" + string(text)
	}
	if err := list.Validate(); err != nil {
		return about("the list is invalid: %v", err)
	}
	want := levy.Bill(list, b)
	got, err := list.Bill(b)
	if len(want.Refused) > 0 {
		var invalid *dynastay.InvalidError
		if !errors.As(err, &invalid) || !slices.Contains(want.Refused, invalid.Field) || got != nil {
			return about("must be refused for one of %v, got %v", want.Refused, err)
		}
		name, _, _ := strings.Cut(invalid.Field, "[")
		met.Add("refused "+name, 1)
		return ""
	}
	if err != nil || !reflect.DeepEqual(want.Bill, got) {
		wanted, _ := json.Marshal(want.Bill)
		returned, _ := json.Marshal(got)
		return about("want %s\n got %s %v", wanted, returned, err)
	}
	if err := got.Validate(len(b.Lines), b.Stay.Nights(), b.Lines[0].Nights[0].Lodging.Currency()); err != nil {
		return about("the bill is invalid: %v", err)
	}
	if tally(list, b, got, met); b.Discount.Sign() == 0 {
		met.Add("reordered", 1)
		return checkOrder(seed, list, b, got, about)
	}
	return ""
}

func tally(list *charges.List, b charges.Booked, bill *charges.Bill, met *model.Tally) {
	met.Add("computed", 1)
	count := func(outcome string, is bool) {
		if is {
			met.Add(outcome, 1)
		}
	}
	count("discount", b.Discount.Sign() > 0)
	count("guests unknown", b.Lines[0].Guests == nil)
	for _, e := range bill.Entries {
		c := list.Charges[slices.IndexFunc(list.Charges, func(c charges.Charge) bool { return c.ID == e.ID })]
		brackets, rate := len(c.Brackets) > 0, e.Base.IsSet()
		count("included", e.Included)
		count("at the property", e.AtProperty)
		count("deposit", e.Kind == charges.Deposit)
		count("added", e.Kind != charges.Deposit && !e.Included && !e.AtProperty)
		count("brackets of amounts", brackets && !rate)
		count("brackets of rates", brackets && rate)
		count("one rate of brackets", brackets && e.Rate != 0)
		count("several rates", rate && e.Rate == 0)
	}
}

// checkOrder computes the same stay with its lines in another order, with each room in a line of its own, and with the
// charges in another order in which each one still follows those that it is a percentage of.
func checkOrder(
	seed uint64, list *charges.List, b charges.Booked, bill *charges.Bill, about func(string, ...any) string,
) string {
	d := rand.New(rand.NewPCG(seed, 1))
	other := b
	other.Lines = nil
	for _, line := range b.Lines {
		for range line.Rooms {
			single := line
			single.Rooms = 1
			other.Lines = append(other.Lines, single)
		}
	}
	d.Shuffle(len(other.Lines), func(i, j int) { other.Lines[i], other.Lines[j] = other.Lines[j], other.Lines[i] })
	mixed := &charges.List{PropertyID: list.PropertyID}
	for left := slices.Clone(list.Charges); len(left) > 0; {
		i := d.IntN(len(left))
		waits := slices.ContainsFunc(left, func(c charges.Charge) bool { return slices.Contains(left[i].On, c.ID) })
		if !waits {
			mixed.Charges = append(mixed.Charges, left[i])
			left = slices.Delete(left, i, i+1)
		}
	}
	again, err := mixed.Bill(other)
	if err != nil {
		return about("in another order: %v", err)
	}
	sums := func(b *charges.Bill) []dynastay.Money {
		return []dynastay.Money{b.Included, b.Added, b.AtProperty, b.Deposits}
	}
	total := func(b *charges.Bill) map[string]dynastay.Money {
		all := map[string]dynastay.Money{}
		for _, e := range b.Entries {
			all[e.ID] = e.Amount
		}
		return all
	}
	if !slices.Equal(sums(bill), sums(again)) || !reflect.DeepEqual(total(bill), total(again)) {
		return about("%v in another order %v", sums(bill), sums(again))
	}
	return ""
}
