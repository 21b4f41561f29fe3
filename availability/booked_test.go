package availability_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
)

// had is a line of a booking, or one of a quote, without prices.
func had(number, quantity int, planID string, party *availability.Party) availability.Line {
	line := availability.Line{RoomTypeID: roomTypeID, Number: number, Quantity: quantity, Party: party}
	if planID != "" {
		line.Plan = &availability.RatePlan{PropertyID: propertyID, ID: planID, Name: planID}
	}
	return line
}

func of(roomTypeID string, line availability.Line) availability.Line {
	line.RoomTypeID = roomTypeID
	return line
}

func TestGoesOn(t *testing.T) {
	t.Parallel()
	type lines = []availability.Line
	family := func(ages ...int) *availability.Party {
		return &availability.Party{Guests: availability.Guests{Adults: 2, Children: len(ages)}, ChildAges: ages}
	}
	for _, test := range []struct {
		name       string
		had, lines lines
		want       []int
	}{
		{"nothing booked", nil, lines{had(0, 1, "", nil), had(1, 1, "flex", nil)}, []int{-1, -1}},
		{"nothing quoted", lines{had(1, 1, "", nil)}, nil, []int{}},
		{"plain, as before numbers", lines{had(0, 1, "", nil)}, lines{had(0, 3, "", nil)}, []int{0}},
		{"by number, whatever the plan", lines{had(1, 1, "flex", nil), had(2, 1, "early", nil)}, lines{had(2, 1, "flex", nil), had(1, 1, "early", nil)}, []int{1, 0}},
		{"a line without a number is the first", lines{had(2, 1, "flex", nil), had(0, 1, "flex", nil)}, lines{had(1, 1, "flex", nil)}, []int{1}},
		{"of another room type", lines{had(1, 1, "flex", nil)}, lines{of("room_790", had(1, 1, "flex", nil)), of("room_790", had(0, 1, "flex", nil))}, []int{-1, -1}},
		{"a number that the booking does not have", lines{had(1, 1, "flex", nil)}, lines{had(3, 1, "flex", nil)}, []int{-1}},
		{"by plan and party", lines{had(1, 1, "flex", adults(1)), had(2, 1, "flex", adults(2))}, lines{had(0, 1, "flex", adults(2)), had(0, 1, "flex", adults(1))}, []int{1, 0}},
		{"another plan", lines{had(1, 1, "flex", adults(1))}, lines{had(0, 1, "early", adults(1))}, []int{-1}},
		{"another party", lines{had(1, 1, "flex", adults(1))}, lines{had(0, 1, "flex", adults(2)), had(0, 1, "flex", nil)}, []int{-1, -1}},
		{"no plan any more", lines{had(1, 1, "flex", nil)}, lines{had(0, 1, "", nil)}, []int{-1}},
		{"children in another order", lines{had(1, 1, "flex", family(3, 7))}, lines{had(0, 1, "flex", family(7, 3))}, []int{0}},
		{"numbers come first", lines{had(1, 1, "flex", nil), had(2, 1, "flex", nil)}, lines{had(0, 1, "flex", nil), had(1, 1, "early", nil)}, []int{1, 0}},
		{"each line once", lines{had(1, 1, "flex", nil)}, lines{had(0, 1, "flex", nil), had(0, 1, "flex", nil), had(1, 1, "flex", nil)}, []int{-1, -1, 0}},
		{"the same number twice", lines{had(1, 1, "flex", nil)}, lines{had(1, 1, "flex", nil), had(1, 1, "flex", nil)}, []int{0, -1}},
		{"the highest number", lines{had(99, 1, "flex", nil)}, lines{had(99, 1, "", nil)}, []int{0}},
	} {
		assert.Equal(t, test.want, availability.Booked{Lines: test.had}.GoesOn(test.lines), test.name)
	}
}

// The rooms of a request go on with lines of the same plan and party, then of the same plan, then with any other.
func TestContinued(t *testing.T) {
	t.Parallel()
	type lines = []availability.Line
	for _, test := range []struct {
		name  string
		had   lines
		rooms []availability.Room
		want  []string // the number that the line of the booking has, "new" for none, and the rooms
	}{
		{"nothing booked", nil, []availability.Room{roomsUnder("flex", 2, adults(1))}, []string{"new 2×flex for 1"}},
		{"as it is", lines{had(1, 2, "flex", adults(1))}, []availability.Room{roomsUnder("flex", 2, adults(1))}, []string{"1 2×flex for 1"}},
		{"fewer", lines{had(1, 2, "flex", adults(1))}, []availability.Room{roomsUnder("flex", 1, adults(1))}, []string{"1 1×flex for 1"}},
		{"more", lines{had(1, 2, "flex", adults(1))}, []availability.Room{roomsUnder("flex", 5, adults(1))}, []string{"1 2×flex for 1", "new 3×flex for 1"}},
		{"more without a plan and party", lines{had(0, 2, "", nil)}, []availability.Room{roomsUnder("", 5, nil)}, []string{"1 5×"}},
		{"more with a party only", lines{had(1, 2, "", adults(1))}, []availability.Room{roomsUnder("", 5, adults(1))}, []string{"1 2× for 1", "new 3× for 1"}},
		{"a party for the first time", lines{had(0, 2, "", nil)}, []availability.Room{roomsUnder("", 5, adults(1))}, []string{"1 2× for 1", "new 3× for 1"}},
		{"no party any more", lines{had(1, 2, "", adults(1))}, []availability.Room{roomsUnder("", 5, nil)}, []string{"1 2×", "new 3×"}},
		{"two lines without a plan", lines{had(0, 1, "", nil), had(2, 2, "", nil)}, []availability.Room{roomsUnder("", 3, nil)}, []string{"1 1×", "2 2×"}},
		{"the first of them gets more", lines{had(0, 1, "", nil), had(2, 2, "", nil)}, []availability.Room{roomsUnder("", 5, nil)}, []string{"1 3×", "2 2×"}},
		{"more without a plan leave other plans alone", lines{had(1, 1, "", nil), had(2, 1, "flex", nil)}, []availability.Room{roomsUnder("", 2, nil)}, []string{"1 2×"}},
		{"several lines of one plan and party", lines{had(1, 1, "flex", nil), had(2, 2, "flex", nil)}, []availability.Room{roomsUnder("flex", 2, nil)}, []string{"1 1×flex", "2 1×flex"}},
		{"another party", lines{had(1, 2, "flex", adults(1))}, []availability.Room{roomsUnder("flex", 2, adults(2))}, []string{"1 2×flex for 2"}},
		{
			"a party of its own first", lines{had(1, 1, "flex", adults(2)), had(2, 1, "flex", adults(1))},
			[]availability.Room{roomsUnder("flex", 1, adults(1)), roomsUnder("flex", 1, adults(3))}, []string{"2 1×flex for 1", "1 1×flex for 3"},
		},
		{
			"a plan of its own first", lines{had(1, 1, "early", nil), had(2, 1, "flex", adults(1))},
			[]availability.Room{roomsUnder("early", 1, adults(1)), roomsUnder("flex", 1, adults(2))}, []string{"1 1×early for 1", "2 1×flex for 2"},
		},
		{"another plan", lines{had(1, 1, "early", nil)}, []availability.Room{roomsUnder("flex", 2, nil)}, []string{"1 1×flex", "new 1×flex"}},
		{
			"one line grows, the other shrinks", lines{had(1, 2, "early", nil), had(2, 1, "flex", nil)},
			[]availability.Room{roomsUnder("early", 1, nil), roomsUnder("flex", 2, nil)}, []string{"1 1×early", "2 1×flex", "new 1×flex"},
		},
		{
			"plans change places", lines{had(1, 2, "early", nil), had(2, 1, "flex", nil)},
			[]availability.Room{roomsUnder("early", 3, nil)}, []string{"1 2×early", "2 1×early"},
		},
		{
			"the same plan before others", lines{had(1, 1, "early", adults(1)), had(2, 1, "flex", adults(1))},
			[]availability.Room{roomsUnder("flex", 1, adults(2))}, []string{"2 1×flex for 2"},
		},
		{
			"a plan beside rooms without one", lines{had(0, 1, "", nil)}, []availability.Room{roomsUnder("", 1, nil), roomsUnder("flex", 2, nil)},
			[]string{"1 1×", "new 2×flex"},
		},
		{
			"two room types without plans", lines{of("room_788", had(0, 1, "", nil)), had(0, 1, "", nil)},
			[]availability.Room{room("room_788", 1), room(roomTypeID, 3)}, []string{"1 1×", "1 3×"},
		},
		{"another room type", lines{of("room_790", had(1, 1, "flex", nil))}, []availability.Room{roomsUnder("flex", 1, nil)}, []string{"new 1×flex"}},
		{"a line without rooms", lines{had(1, 0, "flex", nil), had(2, -1, "flex", nil)}, []availability.Room{roomsUnder("flex", 1, nil)}, []string{"new 1×flex"}},
		{"a line without rooms and plan", lines{had(0, 0, "", nil)}, []availability.Room{roomsUnder("", 1, nil)}, []string{"new 1×"}},
	} {
		assert.Equal(t, test.want, availability.Continued(availability.Booked{Lines: test.had}, test.rooms), test.name)
	}
}

// The conditions of a plan that a line keeps hold as the rules of nights do.
func TestConditionsThatHoldAnew(t *testing.T) {
	t.Parallel()
	days := 100
	all := availability.RateConditions{
		MinStay: 2, MaxStay: 9, MinDaysAhead: 3, MaxDaysAhead: &days, Arrivals: availability.On(5), Dates: staysOf("2026-07-01/2026-08-01"),
	}
	within := availability.RateConditions{Dates: all.Dates}
	shorter, longer := within, within
	shorter.MinStay, longer.MaxStay = 2, 9
	for _, test := range []struct {
		name    string
		stay    string
		arrived bool
		want    availability.RateConditions
	}{
		{"the same stay", "2026-07-10/2026-07-13", false, availability.RateConditions{}},
		{"the same stay, arrived", "2026-07-10/2026-07-13", true, availability.RateConditions{}},
		{"shorter", "2026-07-10/2026-07-12", false, shorter},
		{"longer", "2026-07-10/2026-07-14", false, longer},
		{"shorter, arrived", "2026-07-10/2026-07-12", true, within},
		{"longer, arrived", "2026-07-10/2026-07-14", true, within},
		{"a later arrival", "2026-07-11/2026-07-13", false, all},
		{"an earlier arrival", "2026-07-09/2026-07-13", true, all},
		{"all moves", "2026-07-20/2026-07-23", false, all},
	} {
		b := availability.Booked{Stay: stay, Arrived: test.arrived}
		assert.Equal(t, test.want, availability.ConditionsAnew(b, all, staysOf(test.stay)[0]), test.name)
	}
}
