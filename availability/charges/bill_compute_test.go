package charges_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// house is a stay of three nights in two rooms with two adults and a child of 9 each, and one room with an adult. Its
// lodging is 3 × (2 × 100 + 60) = 780, its meals are 3 × (2 × 20 + 10) = 150. There are 3 rooms, 9 rooms and nights,
// 7 guests, and 21 guests and nights.
func house() charges.Booked {
	family := &charges.Guests{Adults: 2, Children: 1, ChildAges: []int{9}}
	return stay(room(2, 3, "100", "20", family), room(1, 3, "60", "10", &charges.Guests{Adults: 1}))
}

func at(night string) dynastay.Date { return dynastay.MustDate(night) }

// The kinds of charges, by what they are counted by, what they are of, and when they apply. What is expected was worked out
// by hand: the amount, and the base of a percentage.
func TestEachKindOfCharge(t *testing.T) {
	t.Parallel()
	set := with
	of := func(of []charges.Component, gross bool) func(c *charges.Charge) {
		return func(c *charges.Charge) { c.Of, c.Gross = of, gross }
	}
	nightly := func(c charges.Charge) charges.Charge {
		c.Per = charges.PerNight
		return c
	}
	brackets := func(rates ...charges.Rate) func(c *charges.Charge) {
		return func(c *charges.Charge) {
			c.Rate, c.Per, c.Brackets = 0, charges.PerNight, []charges.Bracket{{}, {From: eur("60")}, {From: eur("100")}}
			for i, r := range rates {
				c.Brackets[i].Rate = r
			}
		}
	}
	steps := func(per charges.Per, from ...string) func(c *charges.Charge) { // 0, then 1, then 2 EUR
		return func(c *charges.Charge) {
			c.Rate, c.Per, c.Amount, c.Of = 0, per, dynastay.Money{}, lodging
			c.Brackets = []charges.Bracket{{}, {From: eur(from[0]), Amount: eur("1")}, {From: eur(from[1]), Amount: eur("2")}}
		}
	}
	first := func(n int) func(c *charges.Charge) { return func(c *charges.Charge) { c.FirstNights = n } }
	aged := func(from, under int) func(c *charges.Charge) {
		return func(c *charges.Charge) { c.FromAge, c.UnderAge = from, under }
	}
	within := func(from, until string) func(c *charges.Charge) {
		return func(c *charges.Charge) {
			if from != "" {
				c.From = at(from)
			}
			if until != "" {
				c.Until = at(until)
			}
		}
	}
	gross := func(c *charges.Charge) { c.Gross = true }
	five := func(per charges.Per) charges.Charge { return tax("x", per, "5") }
	ten := percent("x", 10_0000)
	var rows [][]string
	for _, c := range []struct {
		name   string
		charge charges.Charge
		want   string
	}{
		{"per stay", five(charges.PerStay), "5.00"},
		{"per night", five(charges.PerNight), "15.00"},
		{"per room", five(charges.PerRoom), "15.00"},
		{"per room and night", five(charges.PerRoomNight), "45.00"},
		{"per guest", five(charges.PerGuest), "35.00"},
		{"per guest and night", five(charges.PerGuestNight), "105.00"},

		{"included, per stay", included(five(charges.PerStay)), "5.00"},
		{"included, per night", included(five(charges.PerNight)), "15.00"},
		{"included, per room", included(five(charges.PerRoom)), "15.00"},
		{"included, per room and night", included(five(charges.PerRoomNight)), "45.00"},
		{"included, per guest", included(five(charges.PerGuest)), "35.00"},
		{"included, per guest and night", included(five(charges.PerGuestNight)), "105.00"},
		{"included in meals", set(included(five(charges.PerRoomNight)), of(meals, false)), "45.00"},

		{"10 % of lodging", ten, "78.00 of 780.00"},
		{"10 % of meals", set(ten, of(meals, false)), "15.00 of 150.00"},
		{"10 % of both", set(ten, of(both, false)), "93.00 of 930.00"},
		{"10 % of each night", nightly(ten), "78.00 of 780.00"},
		{"10 % included in lodging", included(ten), "70.91 of 709.09"}, // 780/11
		{"10 % included in both", set(included(ten), of(both, false)), "84.55 of 845.45"},
		{"10 % of gross, included", set(included(ten), of(lodging, true)), "78.00 of 780.00"},
		{"10 % of the gross of both", set(included(ten), of(both, true)), "93.00 of 930.00"},
		{"10 % of gross, with no included", set(ten, of(lodging, true)), "78.00 of 780.00"},
		{"first night of three", set(nightly(ten), first(1)), "26.00 of 260.00"},
		{"first night, included", set(included(nightly(ten)), first(1)), "23.64 of 236.36"},
		{"first two nights, room and night", set(five(charges.PerRoomNight), first(2)), "30.00"},
		{"first two nights, guests", set(five(charges.PerGuestNight), first(2)), "70.00"},
		{"more first nights than the stay", set(five(charges.PerNight), first(90)), "15.00"},

		{"adults only", set(five(charges.PerGuest), aged(18, 0)), "25.00"},
		{"children only", set(five(charges.PerGuest), aged(0, 18)), "10.00"},
		{"from 9", set(five(charges.PerGuest), aged(9, 0)), "35.00"},
		{"from 10", set(five(charges.PerGuest), aged(10, 0)), "25.00"},
		{"under 10", set(five(charges.PerGuest), aged(0, 10)), "10.00"},
		{"nobody under 9", set(five(charges.PerGuest), aged(0, 9)), ""},
		{"guests and nights under 10", set(five(charges.PerGuestNight), aged(0, 10)), "30.00"},

		{"as short as it may be", set(ten, func(c *charges.Charge) { c.MinStay = 3 }), "78.00 of 780.00"},
		{"too short", set(ten, func(c *charges.Charge) { c.MinStay = 4 }), ""},
		{"as long as it may be", set(five(charges.PerStay), func(c *charges.Charge) { c.MaxStay = 3 }), "5.00"},
		{"too long", set(five(charges.PerStay), func(c *charges.Charge) { c.MaxStay = 2 }), ""},
		{"too long, included", set(included(ten), func(c *charges.Charge) { c.MaxStay = 2 }), ""},

		{"begins with the stay", set(ten, within("2026-05-01", "")), "78.00 of 780.00"},
		{"begins after the check-in", set(ten, within("2026-05-02", "")), ""},
		{"begins with the second night", set(nightly(ten), within("2026-05-02", "")), "52.00 of 520.00"},
		{"ends after the check-in", set(ten, within("", "2026-05-02")), "78.00 of 780.00"},
		{"ends at the check-in", set(ten, within("", "2026-05-01")), ""},
		{"ends after the first night", set(five(charges.PerGuestNight), within("", "2026-05-02")), "35.00"},
		{"of one night", set(five(charges.PerRoomNight), within("2026-05-03", "2026-05-04")), "15.00"},
		{"of the year before", set(nightly(ten), within("", "2026-01-01")), ""},
		{"date of a charge per guest", set(five(charges.PerGuest), within("", "2026-05-02")), "35.00"},
		{"date of a charge per room, over", set(five(charges.PerRoom), within("", "2026-05-01")), ""},
		{"nights counted from the check-in", set(five(charges.PerNight), func(c *charges.Charge) {
			c.FirstNights, c.From = 2, at("2026-05-02")
		}), "5.00"},

		{"brackets, one exempt", set(ten, brackets(0, 0, 10_0000)), "60.00 of 600.00"},
		{"brackets, others exempt", set(ten, brackets(0, 10_0000, 0)), "18.00 of 180.00"},
		{"brackets, two rates", set(ten, brackets(0, 10_0000, 5_0000)), "48.00 of 780.00"}, // 18 + 30
		{"brackets, one rate twice", set(ten, brackets(0, 10_0000, 10_0000)), "78.00 of 780.00"},
		{"brackets, none reached", set(ten, brackets(10_0000)), ""},
		{"brackets, included", set(set(included(ten), of(lodging, true)), brackets(0, 0, 10_0000)), "60.00 of 600.00"},
		{"steps by room", set(ten, steps(charges.PerRoomNight, "60", "100")), "15.00"}, // 3 × (2×2 + 1)
		{"steps by room, higher", set(ten, steps(charges.PerRoomNight, "60.01", "100.01")), "6.00"},
		{"steps by guest", set(ten, steps(charges.PerGuestNight, "33.33", "60")), "24.00"},           // 100/3: 3 × (6×1 + 2)
		{"steps by guest, higher", set(ten, steps(charges.PerGuestNight, "33.34", "60.01")), "3.00"}, // 3 × (0 + 1)
		{"steps, exempt children", set(set(ten, steps(charges.PerGuestNight, "33.33", "60")), aged(10, 0)), "18.00"},
		{"steps by room, included", set(set(included(ten), steps(charges.PerRoomNight, "60", "100")), gross), "15.00"},
		{"an amount of 0", tax("x", charges.PerStay, "0"), ""},
		{"less than half a minor unit", percent("x", 6), ""},                                                      // 0.00468
		{"half a minor unit", set(percent("x", 100), func(c *charges.Charge) { c.Of = meals }), "0.02 of 150.00"}, // 0.015
	} {
		rows = append(rows, []string{c.name, fieldsOf(c.charge), c.want})
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := house()
			bill := billOf(t, list(c.charge), b)
			if c.want == "" {
				assert.Empty(t, bill.Entries)
				return
			}
			if assert.Len(t, bill.Entries, 1) {
				e := bill.Entries[0]
				got := e.Amount.Amount()
				if e.Base.IsSet() {
					got += " of " + e.Base.Amount()
				}
				assert.Equal(t, c.want, got)
				assert.Equal(t, c.charge.Included, e.Included)
			}
		})
	}
	documented(t, "kinds of charges", rows, "case", "the charge", "comes to")
}

func TestTwoRatesHaveNone(t *testing.T) {
	t.Parallel()
	c := with(percent("x", 0), func(c *charges.Charge) {
		c.Per, c.Brackets = charges.PerNight, []charges.Bracket{{Rate: 5_0000}, {From: eur("100"), Rate: 10_0000}}
	})
	assert.Zero(t, billOf(t, list(c), house()).Entries[0].Rate)
	free := double(2, "100")
	free.Lines[0].Nights[1].Lodging = eur("0")
	assert.Equal(t, charges.Rate(10_0000), billOf(t, list(c), free).Entries[0].Rate, "nothing is charged for the free night")
	c.Brackets[1].Rate = 5_0000
	assert.Equal(t, charges.Rate(5_0000), billOf(t, list(c), house()).Entries[0].Rate)
}

// The cents that guests complain about, and the taxes of well-known cities. The bill of each is written out: the entries,
// and the sums that are included, added, due at the property, and deposits.
func TestKnownBills(t *testing.T) {
	t.Parallel()
	service := with(percent("service", 10_0000), func(c *charges.Charge) { c.Kind = charges.Fee })
	vatOnService := with(percent("vat", 7_0000), func(c *charges.Charge) { c.On = []string{"service"} })
	longStays := func(c *charges.Charge) { c.MaxStay = 89 }
	newYork := list(
		with(percent("state", 4_0000), longStays), with(percent("city", 4_5000), longStays),
		with(percent("mctd", 3750), longStays), with(percent("occupancy", 5_8750), longStays),
		with(tax("flat", charges.PerRoomNight, "2.00"), longStays), with(tax("javits", charges.PerRoomNight, "1.50"), longStays),
	)
	rome := with(tax("city", charges.PerGuestNight, "6"), func(c *charges.Charge) {
		c.FirstNights, c.FromAge, c.AtProperty, c.Kept = 10, 10, true, charges.KeptIfStayed
	})
	paris := list(
		with(tax("city", charges.PerGuestNight, "5.53"), func(c *charges.Charge) { c.FromAge = 18 }),
		charges.Charge{ID: "region", Name: "Region", Kind: charges.Tax, Rate: 10_0000, Per: charges.PerNight, On: []string{"city"}},
	)
	untilMay3 := func(c *charges.Charge) { c.Until = at("2026-05-03") }
	fromMay3 := func(c *charges.Charge) { c.From = at("2026-05-03") }
	nightly := func(c *charges.Charge) { c.Per = charges.PerNight }
	discounted := double(2, "100")
	discounted.Discount = eur("20")
	family := room(1, 12, "200", "", &charges.Guests{Adults: 2, Children: 2, ChildAges: []int{9, 10}})
	unknown := stay(room(1, 2, "100", "", nil), room(2, 2, "50", "", nil))
	unknown.Children = 1
	var rows [][]string
	for _, c := range []struct {
		name string
		list *charges.List
		stay charges.Booked
		want string
	}{
		{"a cent between offer and folio", // 99.99 × 5 % = 4.9995; each night rounded would be 3 × 1.67
			list(percent("city", 5_0000)), double(3, "33.33"), "city 5.00 of 99.99; 0.00 5.00 0.00 0.00"},
		{"only the first 21 nights",
			list(with(tax("city", charges.PerGuestNight, "3"), func(c *charges.Charge) { c.FirstNights = 21 }),
				with(with(percent("pct", 5_0000), nightly), func(c *charges.Charge) { c.FirstNights = 21 })),
			double(30, "100"), "city 126.00; pct 105.00 of 2100.00; 0.00 231.00 0.00 0.00"},
		{"included",
			list(included(percent("vat", 10_0000))), double(1, "110"), "vat 10.00 of 100.00; 10.00 0.00 0.00 0.00"},
		{"added", list(percent("vat", 10_0000)), double(1, "110"), "vat 11.00 of 110.00; 0.00 11.00 0.00 0.00"},
		{"a discount", list(percent("vat", 10_0000)), discounted, "vat 18.00 of 180.00; 0.00 18.00 0.00 0.00"},
		{"a discount and included", list(included(percent("vat", 20_0000))), discounted, "vat 30.00 of 150.00; 30.00 0.00 0.00 0.00"},
		{"two included at once", // 117.70 / 1.177
			list(included(service), included(vatOnService)), double(1, "117.70"),
			"service 10.00 of 100.00; vat 7.70 of 110.00; 17.70 0.00 0.00 0.00"},
		{"an included amount and a percentage", // (110 − 2×2.5) / 1.05
			list(included(tax("city", charges.PerGuestNight, "2.50")), included(percent("vat", 5_0000))), double(1, "110"),
			"city 5.00; vat 5.00 of 100.00; 10.00 0.00 0.00 0.00"},
		{"an included amount in the meals", // (20 − 9) / 1.1, and all of the lodging
			list(included(with(tax("food", charges.PerStay, "9"), func(c *charges.Charge) { c.Of = meals })),
				included(percent("room", 10_0000)), included(with(percent("vat", 10_0000), func(c *charges.Charge) { c.Of = meals }))),
			stay(room(1, 1, "110", "20", nil)), "food 9.00; room 10.00 of 100.00; vat 1.00 of 10.00; 20.00 0.00 0.00 0.00"},
		{"an included percentage of gross and one of net", // net = (110 − 11) / 1.1
			list(included(with(percent("gross", 10_0000), func(c *charges.Charge) { c.Gross = true })),
				included(percent("net", 10_0000))), double(1, "110"),
			"gross 11.00 of 110.00; net 9.00 of 90.00; 20.00 0.00 0.00 0.00"},
		{"over the end of a tax",
			list(with(with(percent("old", 5_0000), nightly), untilMay3), with(with(percent("new", 7_0000), nightly), fromMay3)),
			double(4, "100"), "old 10.00 of 200.00; new 14.00 of 200.00; 0.00 24.00 0.00 0.00"},
		{"over the end of a tax by the check-in",
			list(with(percent("old", 5_0000), untilMay3), with(percent("new", 7_0000), fromMay3)),
			double(4, "100"), "old 20.00 of 400.00; 0.00 20.00 0.00 0.00"},
		{"over the end of an included tax", // 2 × 100/1.25 × 25 %
			list(included(with(with(percent("old", 25_0000), nightly), untilMay3))),
			double(4, "100"), "old 40.00 of 160.00; 40.00 0.00 0.00 0.00"},
		{"VAT on breakfast",
			list(included(percent("room", 7_0000)),
				included(with(percent("food", 19_0000), func(c *charges.Charge) { c.Of = meals }))),
			stay(room(1, 1, "107", "23.80", nil)), "room 7.00 of 100.00; food 3.80 of 20.00; 10.80 0.00 0.00 0.00"},
		{"New York", newYork, double(2, "300"), "state 24.00 of 600.00; city 27.00 of 600.00; mctd 2.25 of 600.00; " +
			"occupancy 35.25 of 600.00; flat 4.00; javits 3.00; 0.00 95.50 0.00 0.00"},
		{"New York, at length", newYork, double(90, "300"), "0.00 0.00 0.00 0.00"},
		{"Berlin", list(included(percent("vat", 7_0000)), percent("city", 7_5000)), double(2, "107"),
			"vat 14.00 of 200.00; city 15.00 of 200.00; 14.00 15.00 0.00 0.00"},
		{"Paris", // 2 × 3 × 5.53, and a tenth
			paris, stay(room(1, 3, "200", "", &charges.Guests{Adults: 2, Children: 1, ChildAges: []int{17}})),
			"city 33.18; region 3.32 of 33.18; 0.00 36.50 0.00 0.00"},
		{"Rome", list(rome), stay(family), "city 180.00; 0.00 0.00 180.00 0.00"},
		{"Amsterdam", list(included(percent("vat", 9_0000)), percent("city", 12_5000)), double(1, "109"),
			"vat 9.00 of 100.00; city 12.50 of 100.00; 9.00 12.50 0.00 0.00"},
		{"a ++ resort", list(service, vatOnService), double(1, "1000"),
			"service 100.00 of 1000.00; vat 77.00 of 1100.00; 0.00 177.00 0.00 0.00"},
		{"added on an included one", // 100 + 10, and 10 % of 110 with all of the included
			list(included(percent("vat", 10_0000)), with(percent("city", 10_0000), func(c *charges.Charge) { c.Gross = true }),
				with(percent("fund", 10_0000), func(c *charges.Charge) { c.Of, c.On = nil, []string{"vat", "city"} })),
			double(1, "110"), "vat 10.00 of 100.00; city 11.00 of 110.00; fund 2.10 of 21.00; 10.00 13.10 0.00 0.00"},
		{"a deposit",
			list(with(tax("key", charges.PerRoom, "50"), func(c *charges.Charge) { c.Kind = charges.Deposit }),
				with(percent("damage", 10_0000), func(c *charges.Charge) { c.Kind, c.AtProperty = charges.Deposit, true })),
			double(1, "100"), "key 50.00; damage 10.00 of 100.00; 0.00 0.00 0.00 60.00"},
		{"nobody knows who stays where", // 3 guests, 2 nights, 3 rooms
			list(tax("guest", charges.PerGuest, "1"), tax("nights", charges.PerGuestNight, "1"), tax("room", charges.PerRoom, "1")),
			unknown, "guest 3.00; nights 6.00; room 3.00; 0.00 12.00 0.00 0.00"},
		{"what comes to less than a cent, but counts", // twice 0.00402
			list(percent("a", 134), percent("b", 134),
				with(percent("c", 100_0000), func(c *charges.Charge) { c.Of, c.On = nil, []string{"a", "b"} })),
			double(3, "10"), "c 0.01 of 0.01; 0.00 0.01 0.00 0.00"},
		{"no charges", list(), double(1, "100"), "0.00 0.00 0.00 0.00"},
	} {
		rows = append(rows, []string{c.name, stayOf(c.stay), chargesOf(c.list), c.want})
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, written(billOf(t, c.list, c.stay)))
		})
	}
	documented(t, "known bills", rows, "case", "rooms × nights", "the charges", "comes to; included, added, at the property, deposits")
}

// written returns the entries and the sums of a bill.
func written(b *charges.Bill) string {
	var all []string
	for _, e := range b.Entries {
		text := e.ID + " " + e.Amount.Amount()
		if e.Base.IsSet() {
			text += " of " + e.Base.Amount()
		}
		all = append(all, text)
	}
	sums := []string{b.Included.Amount(), b.Added.Amount(), b.AtProperty.Amount(), b.Deposits.Amount()}
	return strings.Join(append(all, strings.Join(sums, " ")), "; ")
}

// Tokyo charges each guest by the part of the price that is theirs, for which children count.
func TestTokyo(t *testing.T) {
	t.Parallel()
	l := list(charges.Charge{
		ID: "tokyo", Name: "Accommodation tax", Kind: charges.Tax, Per: charges.PerGuestNight, Of: lodging,
		Brackets: []charges.Bracket{
			{}, {From: jpy("10000"), Amount: jpy("100")}, {From: jpy("15000"), Amount: jpy("200")},
		},
	})
	for _, c := range []struct {
		price            string
		adults, children int
		want             string
	}{
		{"9999", 1, 0, "0"}, {"10000", 1, 0, "100"}, {"14999", 1, 0, "100"}, {"15000", 1, 0, "200"},
		{"19999", 2, 0, "0"}, {"20000", 2, 0, "200"}, {"29999", 2, 0, "200"}, {"30000", 2, 0, "400"},
		{"29999", 2, 1, "0"}, {"30000", 2, 1, "300"}, {"45000", 2, 1, "600"},
	} {
		b := double(1, "1")
		b.Lines[0].Nights[0].Lodging = jpy(c.price)
		b.Lines[0].Guests = &charges.Guests{Adults: c.adults, Children: c.children}
		assert.Equal(t, c.want, billOf(t, l, b).Added.Amount(), c)
		b.Lines[0].Guests, b.Adults, b.Children = nil, c.adults, c.children
		assert.Equal(t, c.want, billOf(t, l, b).Added.Amount(), "the only room has all guests: %v", c)
		two := b
		two.Lines = append(two.Lines, b.Lines[0])
		_, err := l.Bill(two)
		refused(t, err, "Lines", "must say who stays in which room, because the price of charge tokyo depends on it")
		two.Lines = []charges.Line{b.Lines[0]}
		two.Lines[0].Rooms = 2
		_, err = l.Bill(two)
		refused(t, err, "Lines", "must say who stays")
		l.Charges[0].MinStay = 2
		_, err = l.Bill(two)
		assert.NoError(t, err, "it does not apply to the stay")
		l.Charges[0].MinStay = 0
	}
}

func TestBillRefuses(t *testing.T) {
	t.Parallel()
	l := list(included(tax("first", charges.PerRoomNight, "60")), included(tax("second", charges.PerRoomNight, "40.01")))
	_, err := l.Bill(double(2, "100"))
	refused(t, err, "Charges[1]", "must not be more than the price that includes it: second of night 1")
	b := double(2, "101")
	b.Lines[0].Nights[1].Lodging = eur("59.99")
	_, err = l.Bill(b)
	refused(t, err, "Charges[0]", "first of night 2")
	bill, err := l.Bill(double(2, "100.01"))
	assert.NoError(t, err)
	assert.Equal(t, "first 120.00; second 80.02; 200.02 0.00 0.00 0.00", written(bill))

	_, err = list(with(tax("x", charges.PerStay, "1"), func(c *charges.Charge) { c.Amount = jpy("1") })).Bill(double(1, "1"))
	refused(t, err, "Currency", "must be JPY, the currency of the charges, got EUR")
	_, err = list(with(percent("x", 1), func(c *charges.Charge) { c.Rate = -1 })).Bill(double(1, "1"))
	refused(t, err, "Charges[0].Rate", "must be between")
	included := with(included(percent("x", 0)), func(c *charges.Charge) {
		c.Per, c.Gross, c.Brackets = charges.PerGuestNight, true, []charges.Bracket{{Amount: eur("1")}}
	})
	_, err = list(included).Bill(stay(room(2, 1, "100", "", nil)))
	refused(t, err, "Lines", "must say who stays")

	much := eur("9999999999999999")
	huge := stay(room(1_000_000, 1, "1", "", nil))
	huge.Lines[0].Nights[0].Lodging = much
	_, err = list(percent("x", 100_0000)).Bill(huge)
	refused(t, err, "Charges[0].Amount", "must have at most 18 significant digits")
	_, err = list(percent("x", 1)).Bill(huge)
	refused(t, err, "Charges[0].Base", "must have at most 18 significant digits")
	huge.Lines[0].Rooms = 1
	bill, err = list(percent("x", 100_0000), percent("y", 1_0000)).Bill(huge)
	assert.Nil(t, bill)
	refused(t, err, "Added.Amount", "must have at most 18 significant digits")
	atProperty := with(percent("y", 1_0000), func(c *charges.Charge) { c.AtProperty = true })
	_, err = list(percent("x", 100_0000), atProperty).Bill(huge)
	assert.NoError(t, err)
}

func TestNoList(t *testing.T) {
	t.Parallel()
	bill, err := (*charges.List)(nil).Bill(double(1, "100"))
	assert.NoError(t, err)
	assert.Equal(t, "0.00 0.00 0.00 0.00", written(bill))
}

// The lines and the nights of a charge add up to it. A cent that cannot be divided goes to who lost most by rounding, then
// to the earlier night, then to the line before.
func TestPartsOfACharge(t *testing.T) {
	t.Parallel()
	parts := func(c charges.Charge, b charges.Booked) (lines, nights []dynastay.Money) {
		c.Kept = charges.KeptIfStayed
		e := billOf(t, list(c), b).Entries[0]
		return e.Lines, e.Nights
	}
	two := stay(room(1, 3, "33.33", "", nil), room(1, 3, "33.33", "", nil))
	lines, nights := parts(percent("x", 5_0000), two) // six times 1.6665 are 9.999
	assert.Equal(t, amounts("5.00", "5.00"), lines)
	assert.Equal(t, amounts("3.34", "3.34", "3.32"), nights)
	lines, nights = parts(tax("x", charges.PerStay, "0.03"), two)
	assert.Equal(t, amounts("0.02", "0.01"), lines)
	assert.Equal(t, amounts("0.02", "0.01", "0.00"), nights)
	two.Lines[1].Nights[2].Lodging = eur("33.39") // 1.6695 loses more
	lines, nights = parts(percent("x", 5_0000), two)
	assert.Equal(t, amounts("5.00", "5.00"), lines)
	assert.Equal(t, amounts("3.34", "3.33", "3.33"), nights)

	lines, nights = parts(tax("x", charges.PerStay, "10"), stay(room(1, 2, "30", "10", nil), room(2, 2, "30", "0", nil)))
	assert.Equal(t, amounts("4.00", "6.00"), lines, "an added amount is spread over the whole price: 80 and 120")
	assert.Equal(t, amounts("5.00", "5.00"), nights)
	lines, _ = parts(included(tax("x", charges.PerStay, "9")), stay(room(1, 2, "30", "10", nil), room(2, 2, "30", "0", nil)))
	assert.Equal(t, amounts("3.00", "6.00"), lines, "an included one over the lodging: 60 and 120")
	lines, nights = parts(tax("x", charges.PerStay, "9"), stay(room(1, 2, "0", "", nil), room(2, 2, "0", "", nil)))
	assert.Equal(t, amounts("3.00", "6.00"), lines, "by rooms, if all is free")
	assert.Equal(t, amounts("4.50", "4.50"), nights)
	lines, nights = parts(with(tax("x", charges.PerNight, "3"), func(c *charges.Charge) { c.FirstNights = 1 }), house())
	assert.Equal(t, amounts("2.32", "0.68"), lines, "3 × 240/310 and 3 × 70/310")
	assert.Equal(t, amounts("3.00", "0.00", "0.00"), nights)
	lines, _ = parts(with(tax("x", charges.PerGuest, "3"), func(c *charges.Charge) { c.UnderAge = 18 }), house())
	assert.Equal(t, amounts("6.00", "0.00"), lines)

	e := billOf(t, list(tax("x", charges.PerStay, "1"), with(tax("y", charges.PerStay, "1"), func(c *charges.Charge) {
		c.Kept, c.AtProperty = charges.NeverKept, true
	})), house()).Entries
	assert.Nil(t, e[0].Nights)
	assert.Nil(t, e[1].Nights)
	assert.Equal(t, charges.NeverKept, e[1].Kept)
	assert.True(t, e[1].AtProperty)
}

// A discount is in whole minor units too, and goes first to who loses most, then to the earlier night, the line before, and
// lodging.
func TestPartsOfADiscount(t *testing.T) {
	t.Parallel()
	bases := func(b charges.Booked) (all []string) {
		l := list(percent("rooms", 100_0000), with(percent("food", 100_0000), func(c *charges.Charge) { c.Of = meals }))
		for i := range l.Charges {
			l.Charges[i].Kept = charges.KeptIfStayed
		}
		for _, e := range billOf(t, l, b).Entries {
			text := e.ID
			for _, m := range append(e.Lines, e.Nights...) {
				text += " " + m.Amount()
			}
			all = append(all, text)
		}
		return all
	}
	b := stay(room(1, 2, "10", "10", nil), room(1, 2, "10", "10", nil))
	b.Discount = eur("0.01")
	assert.Equal(t, []string{"rooms 19.99 20.00 19.99 20.00", "food 20.00 20.00 20.00 20.00"}, bases(b))
	b.Discount = eur("0.02")
	assert.Equal(t, []string{"rooms 19.99 20.00 19.99 20.00", "food 19.99 20.00 19.99 20.00"}, bases(b))
	b.Discount = eur("0.03")
	assert.Equal(t, []string{"rooms 19.99 19.99 19.98 20.00", "food 19.99 20.00 19.99 20.00"}, bases(b))
	b.Discount = eur("0.05")
	assert.Equal(t, []string{"rooms 19.98 19.99 19.98 19.99", "food 19.99 19.99 19.98 20.00"}, bases(b))
	b.Lines[1].Nights[1].Meals = eur("14") // of 84, 0.01 × 14/84 is most
	b.Discount = eur("0.01")
	assert.Equal(t, []string{"rooms 20.00 20.00 20.00 20.00", "food 20.00 23.99 20.00 23.99"}, bases(b))

	b = stay(room(1, 1, "0.005", "", nil), room(1, 1, "0.015", "", nil)) // in half cents: 0.005 and 0.010
	b.Discount = eur("0.01")
	bill := billOf(t, list(percent("x", 100_0000)), b)
	assert.Equal(t, "x 0.01 of 0.01; 0.00 0.01 0.00 0.00", written(bill))
	b.Discount = eur("0.02")
	assert.Equal(t, "0.00 0.00 0.00 0.00", written(billOf(t, list(percent("x", 100_0000)), b)))
	b.Discount = eur("0.0200000001")
	_, err := list(percent("x", 100_0000)).Bill(b)
	refused(t, err, "Discount", "must be at most the total of the lines")
}
