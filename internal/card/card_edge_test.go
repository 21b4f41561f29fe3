package card_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/assert"
)

// How many of 20,000 ordinary texts of each kind are refused, at most. Those for which it is not 0 have no form that
// tells them from a card.
func TestOrdinaryTexts(t *testing.T) {
	t.Parallel()
	const texts = 20_000
	for _, test := range []struct {
		kind string
		most int
		text func(*rand.Rand) string
	}{
		{"notes", 0, note},
		{"stays", 0, func(r *rand.Rand) string { return stayIn(r, "2006-01-02", " to ") + " " + stayIn(r, "2006-01-02", "/") }},
		{"European stays", 0, func(r *rand.Rand) string { return stayIn(r, "02.01.2006", " - ") + ", " + stayIn(r, "2.1.2006", "-") }},
		{"British stays", 0, func(r *rand.Rand) string { return stayIn(r, "02/01/2006", "-") + " " + stayIn(r, "01/02/2006", " ") }},
		{"times", 0, func(r *rand.Rand) string { return stayIn(r, time.RFC3339, " ") + stayIn(r, "02.01.06 15.04", " - ") }},
		{"epochs", 0, func(r *rand.Rand) string {
			at := moment(r)
			return fmt.Sprint(at.Unix(), " ", at.UnixMilli(), " ", at.UnixMicro(), " ", at.UnixNano())
		}},
		{"phone numbers", 0, phoneNumber},
		{"prices", 0, func(r *rand.Rand) string {
			return fmt.Sprintf("%d.%02d EUR + %d,%03d.00 USD", r.IntN(1e6), r.IntN(100), r.IntN(1e3), r.IntN(1e3))
		}},
		{"references", 0, func(r *rand.Rand) string { return fmt.Sprintf("BKG-2026-%06d or %010d", r.IntN(1e6), r.Int64N(1e10)) }},
		{"rooms", 0, func(r *rand.Rand) string { return rooms(r, 100, 900) }},
		{"rooms of four digits", 0, func(r *rand.Rand) string { return rooms(r, 1000, 9000) }},
		{"IBANs", 0, iban},
		{"ULIDs", 0, func(r *rand.Rand) string {
			var entropy [10]byte
			for i := range entropy {
				entropy[i] = byte(r.Uint32())
			}
			id := ulid.ULID{}
			_ = id.SetTime(uint64(moment(r).UnixMilli()))
			_ = id.SetEntropy(entropy[:])
			return "bkg_" + id.String()
		}},
		{"UUIDs", 0, func(r *rand.Rand) string {
			return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), 1<<15|r.IntN(1<<14), r.Int64N(1<<48))
		}},
		{"hexadecimal ids", 20, func(r *rand.Rand) string { return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()) }},
		{"two numbers", 700, func(r *rand.Rand) string { return fmt.Sprintf("%010d/%06d", r.Int64N(1e10), r.IntN(1e6)) }},
		{"13 digits", 300, func(r *rand.Rand) string { return fmt.Sprintf("%013d", r.Int64N(1e13)) }},
		{"16 digits", 700, func(r *rand.Rand) string { return fmt.Sprintf("%016d", r.Int64N(1e16)) }},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(1, 2))
			found, example := 0, ""
			for range texts {
				if text := test.text(r); refused(text) {
					found, example = found+1, text
				}
			}
			t.Logf("%d of %d: %q", found, texts, example)
			assert.LessOrEqual(t, found, test.most, "such as %q", example)
		})
	}
}

func one[T any](r *rand.Rand, all ...T) T { return all[r.IntN(len(all))] }

func moment(r *rand.Rand) time.Time {
	return time.Unix(1_600_000_000+r.Int64N(600_000_000), r.Int64N(1e9)).UTC()
}

// stayIn is a date of check-in and one of check-out.
func stayIn(r *rand.Rand, layout, to string) string {
	at := moment(r)
	return at.Format(layout) + to + at.AddDate(0, 0, 1+r.IntN(14)).Format(layout)
}

// phoneNumber is a number in E.164 form, of any length that occurs, some with 13 digits.
func phoneNumber(r *rand.Rand) string {
	digits := fmt.Sprintf("%s%08d", one(r, "49 151 ", "49-1522-", "43 664 ", "44 20 ", "1-555-1", "86 138 ", "62 812-1", "55 11 9", "91 98", "39 32"), r.IntN(1e8))
	return one(r, "call me at +", "+", "Tel.: + ", "phone +") + digits + one(r, "", " or +49 30 901820", ".", " after 18:00", " (Anna)")
}

func rooms(r *rand.Rand, from, n int) string {
	text, number := "rooms", from+r.IntN(n)
	for range 2 + r.IntN(6) {
		text += fmt.Sprint(" ", number)
		number += 1 + r.IntN(3)
	}
	return text
}

func iban(r *rand.Rand) string {
	country, digits := "DE", 18
	switch r.IntN(6) {
	case 0:
		country, digits = "FI", 14
	case 1:
		country, digits = "NO", 11
	case 2:
		country, digits = "ES", 20
	case 3:
		country, digits = "BE", 12
	case 4:
		country, digits = "PL", 24
	}
	bban := ""
	for range digits {
		bban += fmt.Sprint(r.IntN(10))
	}
	text := ibanOf(country, bban)
	if r.IntN(2) == 0 {
		text = grouped(text)
	}
	return one(r, "IBAN ", "refund to ", "") + text + one(r, "", ".", " thanks", " BIC DEUTDEFF")
}

// note is what guests write into their special requests.
func note(r *rand.Rand) string {
	text := ""
	for range 1 + r.IntN(5) {
		text += one(r,
			fmt.Sprintf("Late check-in at %d:%02d, flight LH%d. ", r.IntN(24), r.IntN(60), r.IntN(9999)),
			fmt.Sprintf("Arriving on %s around %d.%02d. ", moment(r).Format("02.01.2006"), r.IntN(24), r.IntN(60)),
			fmt.Sprintf("We are %d adults and %d children (%d, %d and %d years). ", 1+r.IntN(4), r.IntN(4), r.IntN(17), r.IntN(17), r.IntN(17)),
			fmt.Sprintf("Rooms %d and %d next to each other, please. ", 100+r.IntN(900), 100+r.IntN(900)),
			fmt.Sprintf("Our other booking is %010d, PIN %04d. ", r.Int64N(1e10), r.IntN(1e4)),
			fmt.Sprintf("Loyalty card number %09d. ", r.Int64N(1e9)),
			fmt.Sprintf("Car: M-AB %d, height %d.%02d m. ", r.IntN(9999), 1+r.IntN(2), r.IntN(100)),
			fmt.Sprintf("Invoice to Main Street %d, %05d Berlin, VAT DE%09d. ", r.IntN(999), r.IntN(1e5), r.IntN(1e9)),
			fmt.Sprintf("Call +%d %d %07d. ", 1+r.IntN(99), 1+r.IntN(999), r.IntN(1e7)),
			fmt.Sprintf("The room code %d of last time did not work. ", r.IntN(9999)),
			fmt.Sprintf("Budget %d-%d EUR a night. ", r.IntN(500), 500+r.IntN(500)),
			"Non-smoking room, feather-free pillows. ", "Honeymoon! ", "2 twin beds, 1 cot (120x60), 3rd floor or higher. ",
			fmt.Sprintf("Passport C%08d, born %s. ", r.IntN(1e8), moment(r).AddDate(-40, 0, 0).Format("2006-01-02")),
		)
	}
	return text
}
