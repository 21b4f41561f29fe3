package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/properties"
)

// sums are those of a receipt, without the currency. Taxes are "id amount", with "of net" for a percentage.
type sums struct {
	total, owed, paid, balance, net, later string
	taxes                                  []string
}

// The sums were worked out by hand.
var byHand = map[string]sums{
	// 2 × 200 = 400; sales tax 8.875 % = 35.50; occupancy tax 5.875 % = 23.50; 2 × 1.50 = 3; 2 × 2 = 4; together 466.
	// Half of the rooms and of both percentages is kept, 200 + 17.75 + 11.75 = 229.50, and nothing for the nights. 466 − 229.50 =
	// 236.50 is refunded.
	"New York": {"466.00", "229.50", "229.50", "0.00", "200.00", "0.00", []string{"sales 17.75 of 200.00", "occupancy 11.75 of 200.00"}},
	// 3 × 107 = 321, less 10 % = 288.90; net 288.90 / 1.07 = 270; VAT 18.90; city tax 7.5 % of 270 = 20.25; together 309.15.
	"Berlin": {"309.15", "309.15", "309.15", "0.00", "270.00", "0.00", []string{"vat 18.90 of 270.00", "city 20.25 of 270.00"}},
	// 3 × 165 = 495; net 495 / 1.1 = 450. At the property, for two adults and three nights: 6 × 1.70 = 10.20; 10 % of it = 1.02;
	// 15 % of it = 1.53; 6 × 3.40 = 20.40; together 33.15. The child of nine owes nothing.
	"Paris": {"495.00", "495.00", "495.00", "0.00", "450.00", "33.15", []string{"vat 45.00 of 450.00"}},
	// 12 × 132 = 1584; net 1584 / 1.1 = 1440. At the property, for two adults and the child of twelve, but not for that of eight:
	// 3 × 10 nights × 6 = 180.
	"Rome": {"1584.00", "1584.00", "1584.00", "0.00", "1440.00", "180.00", []string{"vat 144.00 of 1440.00"}},
	// For three nights: 3 × 242 = 726; net 726 / 1.21 = 600; tourist tax 12.5 % = 75; together 801, which are paid.
	// For two nights: 484; net 400; VAT 84; tourist tax 50. Half of the third night is kept, 121, and no tourist tax of it.
	// 484 + 50 + 121 = 655; 801 − 655 = 146 is refunded. Net: 655 − 84 − 50 = 521, with what was kept.
	"Amsterdam": {"655.00", "655.00", "655.00", "0.00", "521.00", "0.00", []string{"vat 84.00 of 400.00", "tourist 50.00 of 400.00"}},
	// 2 × 207.60 = 415.20; net 415.20 / 1.038 = 400; city tax for two guests and two nights, 4 × 3.50 = 14; together 429.20. The
	// deposit is 30 %, 128.76, so 300.44 are left.
	"Zürich": {"429.20", "429.20", "128.76", "300.44", "400.00", "0.00", []string{"vat 15.20 of 400.00", "city 14.00"}},
	// 2 × 33,000 + 2 × 11,000 = 88,000; net 88,000 / 1.1 = 80,000. Net, a guest of the twin pays 30,000 / 2 = 15,000, so 200 a
	// night, and the guest of the single 10,000, so 100: 2 × 2 × 200 + 2 × 100 = 1,000.
	"Tokyo": {"89000", "89000", "89000", "0", "80000", "0", []string{"vat 8000 of 80000", "stay 1000"}},
	// 2 × 5,000 = 10,000; service 10 % = 1,000; VAT 7 % of 11,000 = 770; together 11,770. The service charge is no tax.
	"Bangkok": {"11770.00", "11770.00", "11770.00", "0.00", "11000.00", "0.00", []string{"vat 770.00 of 11000.00"}},
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.At(now)).DB
	d := &desk{properties.New(db, nil), availability.New(db), bookings.New(db, nil)}
	require.Len(t, places, len(byHand))
	for _, at := range places {
		r, err := d.receipt(t.Context(), at)
		require.NoError(t, err, at.city)
		later, err := sum(r.Owed, r.AtProperty)
		require.NoError(t, err)
		got := sums{
			r.Total.Amount(), r.Owed.Amount(), r.Paid.Amount(), r.Balance.Amount(), r.Net.Amount(), later.Amount(), nil,
		}
		for _, tax := range r.Taxes {
			text := tax.ID + " " + tax.Amount.Amount()
			if tax.Net.IsSet() {
				text += " of " + tax.Net.Amount()
			}
			got.taxes = append(got.taxes, text)
		}
		assert.Equal(t, byHand[at.city], got, at.city)

		balance, err := sum(r.Owed, r.Entries)
		require.NoError(t, err)
		assert.Equal(t, r.Balance, balance, at.city)
		for _, s := range r.Sections {
			total, err := s.Sum.Amount.Times(0)
			for _, one := range s.Rows {
				require.NoError(t, err)
				total, err = total.Add(one.Amount)
			}
			require.NoError(t, err)
			assert.Equal(t, s.Sum.Amount, total, "%s: %s", at.city, s.Title)
		}
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	var out, problems strings.Builder
	file := filepath.Join(t.TempDir(), "receipts.html")
	require.NoError(t, run(t.Context(), []string{"-html", file}, &out, &problems), "the program printed:\n%s", &out)
	t.Logf("\n%s", &out)
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	for _, line := range []string{
		"Queen Room × 1 400.00 USD",
		"City occupancy fee not owed -4.00 USD",
		"Kept 229.50 USD",
		"Refunded Jun 1, requested 236.50 USD",
		"Discount SOMMER -32.10 EUR",
		"VAT included, 7 % of 270.00 18.90 EUR",
		"Surtax of the department 10 % 1.02 EUR",
		"Kept of what was given up 121.00 EUR",
		"Paid Jun 1, credit card -89000 JPY",
		"Service charge 10 % 1000.00 THB",
	} {
		assert.Contains(t, text, "\n "+line+"\n")
	}
	for line := range strings.SplitSeq(out.String(), "\n") {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 110, "a terminal's width: %s", line)
	}

	html, err := os.ReadFile(file)
	require.NoError(t, err)
	page := string(html)
	assert.Equal(t, len(places), strings.Count(page, "<article "))
	assert.Equal(t, strings.Count(page, "<table>"), strings.Count(page, "<caption>"))
	assert.NotContains(t, page, "<script")
	for _, part := range []string{
		"<h2 id=", ">Hôtel du Marais</h2>", "<caption>Due at the property</caption>",
		`<tr><th scope="row">City tax</th><td class="detail">7.5 %</td><td class="amount">20.25 EUR</td></tr>`,
		`<tr><th scope="row">Kept</th><td class="detail"></td><td class="amount">229.50 USD</td></tr>`,
	} {
		assert.Contains(t, page, part)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	assert.Error(t, run(t.Context(), []string{"-unknown"}, &out, &out))
	assert.Contains(t, out.String(), "-html")
}

// What a hotel or a guest is called is text, and not a part of the page.
func TestPageEscapesNames(t *testing.T) {
	t.Parallel()
	nothing := dynastay.MustMoney("0", "EUR")
	r, err := receiptOf(place{city: "<b>"}, bookings.Guest{FirstName: "<i>", LastName: "&"}, &bookings.Receipt{Owed: nothing})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "receipts.html")
	require.NoError(t, writePage(file, []*receipt{r}))
	html, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(html), "<p>&lt;b&gt;</p>")
	assert.Contains(t, string(html), "<dd>&lt;i&gt; &amp;</dd>")
}
