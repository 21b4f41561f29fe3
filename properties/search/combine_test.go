package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/properties"
)

// typeOf is a room type with rooms left, all of which exist.
func typeOf(id string, adults, children, occupancy, left int, price string) roomType {
	return roomType{
		id: id, limits: availability.Limits{MaxAdults: adults, MaxChildren: children, MaxOccupancy: occupancy},
		left: left, total: left, price: dynastay.MustMoney(price, "USD"),
	}
}

func partyOf(adults, children, rooms int) party {
	return party{availability.Guests{Adults: adults, Children: children}, rooms}
}

// shownAs returns choices in the form "2 double, 1 suite".
func shownAs(choices []properties.Choice) string {
	texts := make([]string, len(choices))
	for i, c := range choices {
		texts[i] = fmt.Sprintf("%d %s", c.Quantity, c.RoomTypeID)
	}
	return strings.Join(texts, ", ")
}

func TestCombine(t *testing.T) {
	t.Parallel()
	double := typeOf("double", 2, 1, 2, 5, "100")
	family := typeOf("family", 2, 3, 5, 1, "180")
	suite := typeOf("suite", 4, 4, 4, 1, "500")
	hall := typeOf("hall", 1000, 1000, 1000, 1, "2000")
	for _, test := range []struct {
		name  string
		party party
		types []roomType
		want  string
	}{
		{"one room", partyOf(2, 0, 1), []roomType{suite, family, double}, "1 double"},
		{"one larger room is cheaper than two", partyOf(2, 2, 1), []roomType{double, family, suite}, "1 family"},
		{"2 adults and 3 children in two rooms", partyOf(2, 3, 1), []roomType{double, typeOf("triple", 2, 2, 3, 2, "130")}, "1 double, 1 triple"},
		{"2 adults and 3 children in two rooms of one type", partyOf(2, 3, 1), []roomType{typeOf("triple", 2, 2, 3, 2, "130")}, "2 triple"},
		{"the cheapest for each guest does not fit", partyOf(4, 0, 1), []roomType{typeOf("six", 6, 0, 6, 1, "260"), double}, "2 double"},
		{"what is left of the cheapest, and more", partyOf(12, 0, 1), []roomType{double, suite}, "4 double, 1 suite"},
		{"more rooms than the guests need", partyOf(3, 0, 3), []roomType{double, suite}, "3 double"},
		{"a room for each guest", partyOf(2, 0, 2), []roomType{typeOf("single", 1, 0, 1, 1, "70"), double}, "1 double, 1 single"},
		{"empty rooms are the cheapest", partyOf(5, 0, 3), []roomType{hall, typeOf("single", 1, 0, 1, 9, "30"), typeOf("five", 5, 0, 5, 2, "50")}, "1 five, 2 single"},
		{"no children alone", partyOf(2, 2, 1), []roomType{double, typeOf("bunk", 0, 2, 2, 1, "10")}, "2 double"},
		{"no children without an adult's place", partyOf(1, 2, 1), []roomType{double, typeOf("bunk", 1, 2, 2, 1, "10"), family}, "1 family"},
		{"no more rooms than adults", partyOf(1, 2, 1), []roomType{double, family}, "1 family"},
		{"no more rooms than adults, of two types", partyOf(2, 4, 1), []roomType{typeOf("a", 1, 1, 2, 9, "50"), typeOf("b", 1, 2, 3, 1, "90"), typeOf("c", 1, 3, 4, 9, "180")}, "1 a, 1 c"},
		{"as many rooms as adults", partyOf(3, 3, 2), []roomType{typeOf("a", 1, 1, 2, 9, "50"), typeOf("b", 3, 3, 6, 1, "151")}, "3 a"},
		{"a free room", partyOf(2, 0, 1), []roomType{double, typeOf("free", 2, 0, 2, 9, "0")}, "1 free"},
		{"free rooms: as few as possible", partyOf(4, 0, 1), []roomType{typeOf("a", 2, 0, 2, 9, "0"), typeOf("b", 4, 0, 4, 9, "0")}, "1 b"},
		{"equal prices: fewer rooms", partyOf(4, 0, 1), []roomType{double, typeOf("quad", 4, 0, 4, 9, "200")}, "1 quad"},
		{"equal prices: the first by id", partyOf(4, 0, 1), []roomType{typeOf("b", 2, 0, 2, 9, "100"), typeOf("a", 2, 0, 2, 1, "100"), typeOf("c", 2, 0, 2, 9, "100")}, "1 a, 1 b"},
		{"equal prices: the most of the first", partyOf(4, 0, 2), []roomType{typeOf("b", 2, 0, 2, 2, "100"), typeOf("a", 1, 0, 1, 9, "50"), typeOf("c", 3, 0, 3, 9, "150")}, "1 a, 1 c"},
		{"a tenth of a cent decides", partyOf(2, 0, 1), []roomType{typeOf("a", 2, 0, 2, 9, "100.001"), typeOf("b", 2, 0, 2, 9, "100")}, "1 b"},
		{"a tenth of a cent decides against fewer rooms", partyOf(30, 0, 1), []roomType{typeOf("hall", 30, 0, 30, 1, "30.001"), typeOf("single", 1, 0, 1, 30, "1")}, "30 single"},
		{"a higher limit than the party needs", partyOf(30, 0, 1), []roomType{double, hall}, "1 hall"},
		{"the largest party in the smallest rooms", partyOf(30, 0, 30), []roomType{typeOf("single", 1, 0, 1, 10_000, "999999999999.999")}, "30 single"},
		{"nobody can stay in it", partyOf(2, 0, 2), []roomType{double, typeOf("store", 2, 2, 0, 9, "1"), typeOf("shed", 0, 0, 2, 9, "1")}, "2 double"},
		{"limits that a quote refuses", partyOf(2, 0, 1), []roomType{double, typeOf("odd", 1001, 0, 2, 9, "1"), typeOf("odder", 2, -1, 2, 9, "1"), typeOf("o#d", 2, 0, 2, 9, "1")}, "1 double"},
		{"sold out, without a price", partyOf(2, 0, 1), []roomType{double, {id: "out", limits: double.limits}, {id: "over", limits: double.limits, left: -1}}, "1 double"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			given := slices.Clone(test.types)
			got, err := combine(test.types, test.party)
			require.NoError(t, err)
			assert.Equal(t, test.want, shownAs(got))
			assert.Equal(t, given, test.types, "the caller's slice is not changed")
			slices.Reverse(given)
			got, err = combine(given, test.party)
			require.NoError(t, err)
			assert.Equal(t, test.want, shownAs(got), "reversed")
		})
	}
}

func TestCombineSaysWhyNot(t *testing.T) {
	t.Parallel()
	double := typeOf("double", 2, 1, 2, 2, "100")
	single := typeOf("single", 1, 0, 1, 1, "70")
	more := double
	more.total = 3
	out := roomType{id: "out", limits: availability.Limits{MaxAdults: 2, MaxChildren: 2, MaxOccupancy: 4}, total: 1}
	for _, test := range []struct {
		name  string
		party party
		types []roomType
		want  error
	}{
		{"no room types", partyOf(1, 0, 1), nil, availability.ErrTooSmall},
		{"adults", partyOf(6, 0, 1), []roomType{double, single}, availability.ErrTooSmall},
		{"children", partyOf(1, 3, 1), []roomType{double, single}, availability.ErrTooSmall},
		{"guests", partyOf(4, 2, 1), []roomType{double, single}, availability.ErrTooSmall},
		{"guests, with many rooms", partyOf(4, 2, 4), []roomType{double, single}, availability.ErrTooSmall},
		{"more rooms than adults", partyOf(1, 2, 1), []roomType{double}, availability.ErrTooSmall},
		{"more rooms than adults, if a larger one were left", partyOf(1, 2, 1), []roomType{double, out}, ErrTooFew},
		{"more rooms than adults, if a larger one were left, with many rooms", partyOf(2, 4, 2), []roomType{double, {id: "hall", limits: availability.Limits{MaxAdults: 4, MaxChildren: 4, MaxOccupancy: 8}, total: 1}}, ErrTooFew},
		{"adults, if rooms were left", partyOf(6, 0, 1), []roomType{more}, ErrTooFew},
		{"guests, if rooms of a different type were left", partyOf(4, 2, 1), []roomType{double, out}, ErrTooFew},
		{"an overbooked room type takes nothing from the others", partyOf(4, 0, 1), []roomType{double, {id: "over", limits: out.limits, left: -1, total: -1}}, nil},
		{"more rooms left than exist", partyOf(4, 2, 1), []roomType{{id: "odd", limits: double.limits, left: 2, price: double.price}, out}, ErrTooFew},
		{"more rooms left than can be counted", partyOf(9, 0, 9), []roomType{typeOf("a", 2, 0, 2, math.MaxInt, "1"), typeOf("b", 2, 0, 2, math.MaxInt, "2"), typeOf("c", 2, 0, 2, math.MaxInt, "3")}, nil},
		{"more rooms exist than can be counted", partyOf(2, 0, 1), []roomType{{id: "a", limits: out.limits, total: math.MaxInt}, {id: "b", limits: out.limits, total: math.MaxInt}}, ErrTooFew},
		{"all rooms are sold", partyOf(2, 0, 1), []roomType{out}, ErrTooFew},
		{"rooms", partyOf(4, 0, 4), []roomType{double, single}, ErrTooFew},
		{"rooms for nobody do not count", partyOf(3, 0, 3), []roomType{double, typeOf("store", 0, 0, 2, 9, "1")}, ErrTooFew},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := combine(test.types, test.party)
			assert.ErrorIs(t, err, test.want)
			assert.Equal(t, test.want == nil, got != nil)
		})
	}
}

func TestCombineRefuses(t *testing.T) {
	t.Parallel()
	double := typeOf("double", 2, 1, 2, 2, "100")
	with := func(price dynastay.Money) []roomType {
		other := double
		other.id, other.price = "other", price
		return []roomType{double, other}
	}
	one := partyOf(1, 0, 1)
	for _, test := range []struct {
		field string
		party party
		types []roomType
	}{
		{"Guests.Adults", partyOf(0, 1, 1), with(double.price)},
		{"Guests.Adults", partyOf(31, 0, 1), with(double.price)},
		{"Guests.Children", partyOf(1, -1, 1), with(double.price)},
		{"Guests.Children", partyOf(1, 30, 1), with(double.price)},
		{"Guests.Children", partyOf(30, math.MaxInt, 1), with(double.price)},
		{"Rooms", partyOf(1, 0, 0), with(double.price)},
		{"Rooms", partyOf(1, 0, 31), with(double.price)},
		{"Guests.Adults", partyOf(1, 2, 2), with(double.price)},
		{"Price", one, with(dynastay.Money{})},
		{"Price", one, with(dynastay.MustMoney("-1", "USD"))},
		{"Price", one, with(dynastay.MustMoney("0.0001", "USD"))},
		{"Price", one, with(dynastay.MustMoney("1000000000000", "USD"))},
		{"Price.Currency", one, with(dynastay.MustMoney("100", "EUR"))},
	} {
		got, err := combine(test.types, test.party)
		blame.Invalid(t, err, test.field, "%+v", test)
		assert.Nil(t, got)
	}
	for _, p := range []party{partyOf(30, 0, 30), partyOf(1, 29, 1)} {
		assert.NoError(t, p.validate())
	}
}

// Room types that a better one replaces are left out, so that properties with many room types cost little.
func TestStock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		types []roomType
		want  map[string]int
	}{
		{"different limits", []roomType{typeOf("a", 2, 0, 2, 9, "100"), typeOf("b", 1, 1, 2, 9, "100"), typeOf("c", 2, 1, 2, 2, "120")}, map[string]int{"a": 5, "b": 5, "c": 2}},
		{"more expensive", []roomType{typeOf("a", 2, 0, 2, 9, "101"), typeOf("b", 2, 0, 2, 9, "100")}, map[string]int{"b": 5}},
		{"larger and cheaper", []roomType{typeOf("a", 2, 0, 2, 9, "101"), typeOf("b", 2, 1, 3, 5, "100")}, map[string]int{"b": 5}},
		{"equal, the first by id", []roomType{typeOf("b", 2, 0, 2, 9, "100"), typeOf("a", 2, 0, 2, 5, "100")}, map[string]int{"a": 5}},
		{"few better ones", []roomType{typeOf("a", 2, 0, 2, 9, "101"), typeOf("b", 2, 1, 3, 1, "100"), typeOf("c", 3, 0, 3, 2, "90")}, map[string]int{"a": 2, "b": 1, "c": 2}},
		{"more left than can be counted", []roomType{typeOf("a", 2, 0, 2, math.MaxInt, "1"), typeOf("b", 2, 0, 2, math.MaxInt, "2"), typeOf("c", 2, 0, 2, math.MaxInt, "3")}, map[string]int{"a": 5}},
		{"none left", []roomType{typeOf("a", 2, 0, 2, 0, "1"), typeOf("b", 2, 1, 3, 1, "100")}, map[string]int{"b": 1}},
	} {
		stock, err := partyOf(5, 2, 4).stock(test.types)
		require.NoError(t, err)
		got := map[string]int{}
		for _, s := range stock {
			got[s.id] = s.most
		}
		assert.Equal(t, test.want, got, test.name)
	}
	stock, err := partyOf(3, 4, 1).stock([]roomType{typeOf("a", 2, 0, 2, 9, "100")})
	require.NoError(t, err)
	assert.Equal(t, 3, stock[0].most, "one for each adult")
}

// drawTypes returns room types with few different prices and limits, so that many combinations are equal in price.
func drawTypes(t *rapid.T, most, left int) []roomType {
	types := make([]roomType, rapid.IntRange(1, most).Draw(t, "room types"))
	for i := range types {
		types[i] = typeOf(string(rune('a'+i)), rapid.IntRange(0, 4).Draw(t, "adults"), rapid.IntRange(0, 4).Draw(t, "children"),
			rapid.IntRange(0, 5).Draw(t, "occupancy"), rapid.IntRange(0, left).Draw(t, "left"),
			rapid.SampledFrom([]string{"0", "50", "75", "100", "100", "100.5", "150", "200"}).Draw(t, "price"))
		types[i].total += rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "sold")
	}
	return types
}

func drawParty(t *rapid.T, guests, rooms int) party {
	adults := rapid.IntRange(1, guests).Draw(t, "adults of the party")
	return partyOf(adults, rapid.IntRange(0, guests-adults).Draw(t, "children of the party"), rapid.IntRange(1, min(adults, rooms)).Draw(t, "at least"))
}

// sum is one combination of a brute-force search.
type sum struct {
	quantities []int // by room type
	rooms      int
	price      dynastay.Money
}

// compare orders combinations from the cheapest.
func (s sum) compare(t *rapid.T, other sum) int {
	price, err := s.price.Compare(other.price)
	require.NoError(t, err)
	return cmp.Or(price, cmp.Compare(s.rooms, other.rooms), slices.Compare(other.quantities, s.quantities))
}

// enumerate calls fn with every combination of so many rooms of each type.
func enumerate(most []int, fn func([]int)) {
	quantities := make([]int, len(most))
	for {
		fn(quantities)
		i := 0
		for ; i < len(most) && quantities[i] == most[i]; i++ {
			quantities[i] = 0
		}
		if i == len(most) {
			return
		}
		quantities[i]++
	}
}

// holds reports whether a request for these rooms is accepted.
func holds(t *rapid.T, types []roomType, quantities []int, g availability.Guests) bool {
	req := availability.QuoteRequest{Property: availability.House{ID: "prop_1"}, Stay: fixture.Stay, Guests: g}
	for i, n := range quantities {
		if n > 0 {
			req.Rooms = append(req.Rooms, availability.Room{RoomTypeID: types[i].id, Quantity: n, Limits: types[i].limits})
		}
	}
	if req.Rooms == nil {
		return false
	}
	err := req.Validate(fixture.Now)
	if err != nil {
		require.ErrorIs(t, err, availability.ErrTooSmall)
	}
	return err == nil
}

// bruteForce tries every combination of the rooms in which an adult can stay, with at most one for each adult.
func bruteForce(t *rapid.T, types []roomType, p party, rooms func(roomType) int) (best *sum) {
	most := make([]int, len(types))
	for i, room := range types {
		if l := room.limits; l.MaxOccupancy > 0 && l.MaxAdults > 0 {
			most[i] = rooms(room)
		}
	}
	enumerate(most, func(quantities []int) {
		s := sum{quantities: quantities}
		for i, n := range quantities {
			price, err := types[i].price.Times(n)
			require.NoError(t, err)
			s.price, err = s.price.Add(price)
			require.NoError(t, err)
			s.rooms += n
		}
		if s.rooms >= p.rooms && s.rooms <= p.Adults && (best == nil || s.compare(t, *best) < 0) && holds(t, types, quantities, p.Guests) {
			s.quantities = slices.Clone(quantities)
			best = &s
		}
	})
	return best
}

func TestCombineIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		types, p := drawTypes(t, 4, 5), drawParty(t, 8, 6)
		got, err := combine(rapid.Permutation(types).Draw(t, "order"), p)
		best := bruteForce(t, types, p, func(room roomType) int { return room.left })
		if best != nil {
			require.NoError(t, err)
			want := make([]properties.Choice, 0, len(types))
			for i, n := range best.quantities {
				if n > 0 {
					want = append(want, properties.Choice{RoomTypeID: types[i].id, Quantity: n})
				}
			}
			require.Equal(t, want, got, "%s", best.price)
			return
		}
		p.rooms = 1 // a property is too small only if the guests do not fit, in however few rooms
		if bruteForce(t, types, p, func(room roomType) int { return room.total }) != nil {
			require.ErrorIs(t, err, ErrTooFew)
		} else {
			require.ErrorIs(t, err, availability.ErrTooSmall)
		}
	})
}

// Neither leaving out rooms that are never chosen nor beginning with fewer needs changes the result.
func TestCombineWithoutShortcuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		types, p := drawTypes(t, 12, 20), drawParty(t, 12, 12)
		got, err := combine(types, p)
		if err != nil {
			require.True(t, err == ErrTooFew || err == availability.ErrTooSmall)
			return
		}
		var stock []stocked
		for _, room := range types {
			if room.usable() {
				s, err := p.stock([]roomType{room}) // alone, no other room is better
				require.NoError(t, err)
				stock = append(stock, s...)
			}
		}
		require.Equal(t, choices(stock, choose(stock, p.needs().withRooms(p.Adults), p.rooms)), got)
	})
}
