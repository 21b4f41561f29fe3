// Package chargetext writes the charges of a property as short text, for the property's card, which every search reads.
package chargetext

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
)

// The text is the currency and then each charge, with a semicolon before it. A charge is its id and, after a space each, what
// is set of it: a letter and a value. Cards are stored: a letter must never get another meaning. Taxes per night are the
// usual case, so their kind and their Per are left out. Rates are in ten-thousandths of a percent. A bracket is its price,
// its rate and its amount, with colons between them; further ones follow a comma.
const (
	kind        = 'k'
	rate        = 'r'
	amount      = 'a'
	brackets    = 'b'
	per         = 'p'
	of          = 'o'
	gross       = 'g'
	on          = 'n'
	included    = 'i'
	atProperty  = 'x' // extra
	firstNights = 'f'
	fromAge     = 'y' // young
	underAge    = 'z'
	minStay     = 'm'
	maxStay     = 'w' // within
	from        = 'd' // dates
	until       = 'u'
	kept        = 'c' // cancelled
)

// word is the short form of a value.
type word[V ~string] struct {
	value V
	short string
}

var (
	kinds = []word[charges.Kind]{{charges.Tax, ""}, {charges.Fee, "f"}, {charges.Deposit, "d"}}
	pers  = []word[charges.Per]{
		{charges.PerNight, ""}, {charges.PerStay, "s"}, {charges.PerRoom, "r"}, {charges.PerRoomNight, "R"}, {charges.PerGuest, "g"},
		{charges.PerGuestNight, "G"},
	}
	components = []word[charges.Component]{{charges.Lodging, "l"}, {charges.Meals, "m"}}
	kepts      = []word[charges.Kept]{{charges.KeptByPolicy, ""}, {charges.KeptIfStayed, "s"}, {charges.NeverKept, "n"}}
)

var idForm = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,11}$`)

// Text returns the charges of a list, "" if there are none. Their names are not part of it, and neither is what belongs to
// the list as a whole. A list without entries is nil when it is parsed. The error is a [*dynastay.InvalidError] for a field of
// a list that is not valid, and may be one that other software has stored.
func Text(l *charges.List) (string, error) {
	if len(l.Charges) == 0 {
		return "", nil
	}
	currency := l.Currency()
	if currency != "" && !currency.Known() {
		return "", dynastay.Within("Currency", currency.Validate())
	}
	text := string(currency)
	for i := range l.Charges {
		w := writer{currency: currency}
		if w.charge(&l.Charges[i]); w.err != nil {
			return "", dynastay.Within(fmt.Sprintf("Charges[%d]", i), w.err)
		}
		text += ";" + strings.Join(w.parts, " ")
	}
	return text, nil
}

type writer struct {
	currency dynastay.Currency
	parts    []string
	err      error
}

func (w *writer) charge(c *charges.Charge) {
	w.parts = append(w.parts, w.id("ID", c.ID))
	w.text(kind, short(w, "Kind", kinds, c.Kind))
	w.number(rate, int(c.Rate))
	w.text(amount, w.money("Amount", c.Amount))
	w.text(brackets, w.brackets(c.Brackets))
	w.text(per, short(w, "Per", pers, c.Per))
	parts := ""
	for _, component := range c.Of {
		parts += short(w, "Of", components, component)
	}
	w.text(of, parts)
	w.flag(gross, c.Gross)
	var ids []string
	for _, id := range c.On {
		ids = append(ids, w.id("On", id))
	}
	w.text(on, strings.Join(ids, ","))
	w.flag(included, c.Included)
	w.flag(atProperty, c.AtProperty)
	w.number(firstNights, c.FirstNights)
	w.number(fromAge, c.FromAge)
	w.number(underAge, c.UnderAge)
	w.number(minStay, c.MinStay)
	w.number(maxStay, c.MaxStay)
	w.date(from, c.From)
	w.date(until, c.Until)
	w.text(kept, short(w, "Kept", kepts, c.Kept))
}

func (w *writer) text(letter byte, value string) {
	if value != "" {
		w.parts = append(w.parts, string(letter)+value)
	}
}

func (w *writer) number(letter byte, n int) {
	if n != 0 {
		w.text(letter, strconv.Itoa(n))
	}
}

func (w *writer) flag(letter byte, is bool) {
	if is {
		w.parts = append(w.parts, string(letter))
	}
}

func (w *writer) date(letter byte, d dynastay.Date) {
	if !d.IsZero() {
		w.text(letter, d.String())
	}
}

func (w *writer) brackets(all []charges.Bracket) string {
	var texts []string
	for i, b := range all {
		at := fmt.Sprintf("Brackets[%d].", i)
		percent := ""
		if b.Rate != 0 {
			percent = strconv.Itoa(int(b.Rate))
		}
		texts = append(texts, w.money(at+"From", b.From)+":"+percent+":"+w.money(at+"Amount", b.Amount))
	}
	return strings.Join(texts, ",")
}

func (w *writer) money(field string, m dynastay.Money) string {
	switch {
	case m == dynastay.Money{}:
		return ""
	case !m.IsSet():
		w.fail(field, "must have a currency")
	case m.Currency() != w.currency:
		w.fail(field, "must be in %s, like the other amounts of the list", w.currency)
	}
	return m.Digits()
}

func (w *writer) id(field, id string) string {
	if !idForm.MatchString(id) {
		w.fail(field, "must have 1 to 12 of a-z, 0-9, _ and -, and begin with a letter or a digit")
	}
	return id
}

func (w *writer) fail(field, format string, args ...any) {
	if w.err == nil {
		w.err = dynastay.Invalid(field, format, args...)
	}
}

func short[V ~string](w *writer, field string, all []word[V], value V) string {
	i := slices.IndexFunc(all, func(one word[V]) bool { return one.value == value })
	if i < 0 {
		w.fail(field, "must be one of the constants of package charges")
		return ""
	}
	return all[i].short
}

// Parse reverses [Text]. It refuses any text that Text cannot have written. The list has no PropertyID, the names of its
// charges are their ids, and nothing is validated.
func Parse(text string) (*charges.List, error) {
	l := &charges.List{}
	if text == "" {
		return l, nil
	}
	currency, rest, _ := strings.Cut(text, ";")
	for one := range strings.SplitSeq(rest, ";") {
		r := reader{currency: dynastay.Currency(currency)}
		c := r.charge(strings.Split(one, " "))
		if r.err != nil {
			return nil, fmt.Errorf("the charges of a card: %w", r.err)
		}
		l.Charges = append(l.Charges, c)
	}
	// A newer version of the library may write what this one does not know, and other software anything.
	if again, err := Text(l); err != nil || again != text {
		return nil, errors.Join(errors.New("the charges of a card do not have the form in which they are written"), err)
	}
	return l, nil
}

type reader struct {
	currency dynastay.Currency
	err      error
}

func (r *reader) charge(parts []string) charges.Charge {
	c := charges.Charge{ID: parts[0], Name: parts[0], Kind: charges.Tax, Per: charges.PerNight}
	for _, part := range parts[1:] {
		if part == "" {
			continue
		}
		value := part[1:]
		switch part[0] {
		case kind:
			c.Kind = long(kinds, value)
		case rate:
			c.Rate = charges.Rate(r.number(value))
		case amount:
			c.Amount = r.money(value)
		case brackets:
			c.Brackets = r.brackets(value)
		case per:
			c.Per = long(pers, value)
		case of:
			for _, letter := range value {
				c.Of = append(c.Of, long(components, string(letter)))
			}
		case gross:
			c.Gross = true
		case on:
			c.On = strings.Split(value, ",")
		case included:
			c.Included = true
		case atProperty:
			c.AtProperty = true
		case firstNights:
			c.FirstNights = r.number(value)
		case fromAge:
			c.FromAge = r.number(value)
		case underAge:
			c.UnderAge = r.number(value)
		case minStay:
			c.MinStay = r.number(value)
		case maxStay:
			c.MaxStay = r.number(value)
		case from:
			c.From = r.date(value)
		case until:
			c.Until = r.date(value)
		case kept:
			c.Kept = long(kepts, value)
		}
	}
	return c
}

func (r *reader) number(text string) int {
	n, err := strconv.Atoi(text)
	r.fail(err)
	return n
}

func (r *reader) money(text string) dynastay.Money {
	if text == "" {
		return dynastay.Money{}
	}
	m, err := dynastay.MoneyOfDigits(text, r.currency)
	r.fail(err)
	return m
}

func (r *reader) date(text string) dynastay.Date {
	d, err := dynastay.ParseDate(text)
	r.fail(err)
	return d
}

func (r *reader) brackets(text string) (all []charges.Bracket) {
	for one := range strings.SplitSeq(text, ",") {
		parts := strings.Split(one, ":")
		if len(parts) != 3 {
			r.fail(errors.New("a bracket must have three parts"))
			return nil
		}
		b := charges.Bracket{From: r.money(parts[0]), Amount: r.money(parts[2])}
		if parts[1] != "" {
			b.Rate = charges.Rate(r.number(parts[1]))
		}
		all = append(all, b)
	}
	return all
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// long returns a value that cannot be written for a text that is not one of the short forms.
func long[V ~string](all []word[V], short string) V {
	for _, one := range all {
		if one.short == short {
			return one.value
		}
	}
	return "?"
}
