package charges

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Entity returns the entity of lists, for the repository that stores them, which is that of package properties. All
// amounts of a list share one attribute for their currency. What is not set is not stored.
func Entity() *entity.Entity[List] { return listEntity() }

var listEntity = sync.OnceValue(func() *entity.Entity[List] {
	return entity.New(entity.Spec[List]{
		Name: "Charges", Schema: keys.PropertiesTable, Validate: (*List).Validate,
		Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Key:   func(l *List) (dynastay.Key, error) { return keys.Of(keys.PropertyCharges{PropertyID: l.PropertyID}) },
		Codec: listCodec,
	})
})

var listCodec = entity.Declare(func(f *entity.Fields, l *List) {
	f.Const(keys.AttrEntityType, "Charges")
	f.String("PropertyId", &l.PropertyID)
	currency := l.Currency()
	entity.String(f, "Currency", &currency)
	all := unlessEmpty(l.Charges)
	entity.List(f, "Charges", &all, func(f *entity.Fields, c *Charge) { c.declare(f, currency) })
	if f.Decoding() {
		l.Charges = unlessEmpty(all)
	}
	f.Time("CreatedAt", &l.CreatedAt)
	f.Time("UpdatedAt", &l.UpdatedAt)
	f.IfSet().Int(keys.AttrVersion, &l.Version)
})

func (c *Charge) declare(f *entity.Fields, currency dynastay.Currency) {
	f.String("Id", &c.ID)
	f.String("Name", &c.Name)
	entity.String(f, "Kind", &c.Kind)
	entity.Custom(f, "Rate", &c.Rate, StoredRate, RateOf)
	f.Amount("Amount", currency, &c.Amount)
	brackets := unlessEmpty(c.Brackets)
	entity.List(f, "Brackets", &brackets, func(f *entity.Fields, b *Bracket) {
		f.Amount("From", currency, &b.From)
		entity.Custom(f, "Rate", &b.Rate, StoredRate, RateOf)
		f.Amount("Amount", currency, &b.Amount)
	})
	entity.String(f, "Per", &c.Per)
	of := make([]string, len(c.Of))
	for i, component := range c.Of {
		of[i] = string(component)
	}
	f.IfSet().Strings("Of", &of)
	f.IfSet().Bool("Gross", &c.Gross)
	on := unlessEmpty(c.On)
	f.IfSet().Strings("On", &on)
	f.IfSet().Bool("Included", &c.Included)
	f.IfSet().Bool("AtProperty", &c.AtProperty)
	f.IfSet().Int("FirstNights", &c.FirstNights)
	f.IfSet().Int("FromAge", &c.FromAge)
	f.IfSet().Int("UnderAge", &c.UnderAge)
	f.IfSet().Int("MinStay", &c.MinStay)
	f.IfSet().Int("MaxStay", &c.MaxStay)
	f.Date("From", &c.From)
	f.Date("Until", &c.Until)
	entity.String(f, "Kept", &c.Kept)
	if f.Decoding() {
		c.Brackets, c.On, c.Of = unlessEmpty(brackets), unlessEmpty(on), nil
		for _, component := range of {
			c.Of = append(c.Of, Component(component))
		}
	}
}

// unlessEmpty returns nil for an empty list, which is not stored.
func unlessEmpty[V any](all []V) []V {
	if len(all) == 0 {
		return nil
	}
	return all
}

// StoredRate returns a rate as the number of percent, such as 5.875.
func StoredRate(r Rate) (types.AttributeValue, error) {
	if r == 0 {
		return nil, nil
	}
	return &types.AttributeValueMemberN{Value: r.String()}, nil
}

// RateOf reverses [StoredRate].
func RateOf(v dynastay.Value) (Rate, error) {
	n, ok := v.Stored().(*types.AttributeValueMemberN)
	if !ok {
		return 0, errors.New("must be a number")
	}
	m, err := dynastay.MoneyOfDigits(n.Value, "") // without an exponent and trailing zeros
	if err != nil {
		return 0, err
	}
	whole, places, _ := strings.Cut(m.Digits(), ".")
	if len(places) > rateDecimals {
		return 0, fmt.Errorf("must have at most %d decimal places", rateDecimals)
	}
	rate, err := strconv.ParseInt(whole+places+strings.Repeat("0", rateDecimals-len(places)), 10, 32)
	if err != nil {
		return 0, errors.New("must be a percentage")
	}
	return Rate(rate), nil
}
