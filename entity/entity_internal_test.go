package entity

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
)

func TestEntityItem(t *testing.T) {
	e := shopEntity()
	s := shop{ID: "1", Name: "a", City: "Rome", Stars: 3, Price: dynastay.MustMoney("2.50", "USD"), Tags: []string{"x"}, Spec: spec{Colour: "red", Size: 2}}
	item, err := e.Item(&s)
	require.NoError(t, err)
	assert.Equal(t, dynastay.Item{
		"PK": str("SHOP#1"), "SK": str("METADATA"), "ShopId": str("1"), "Name": str("a"), "City": str("Rome"), "Stars": num("3"),
		"Price": num("2.5"), "Currency": str("USD"), "Tags": &sL{Value: []types.AttributeValue{str("x")}},
		"Spec":   &sM{Value: dynastay.Item{"Colour": str("red"), "Size": num("2"), "Label": str("a/red")}},
		"Card":   &sM{Value: dynastay.Item{"Name": str("a"), "Colour": str("red"), "Price": num("2.5"), "Total": num("5")}},
		"GSI1PK": str("CITY#Rome"), "GSI1SK": str("STARS#3#SHOP#1"), "GSI2PK": str("TAG#x"), "StockSum": num("0"),
	}, item)
	back, err := e.Value(dynastay.RowOf(item))
	require.NoError(t, err)
	assert.Equal(t, s, *back)

	_, err = e.Item(&shop{Name: "forbidden"})
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
	boom, spec := errors.New("boom"), shopSpec()
	spec.Derived = append(spec.Derived, Derived[shop]{Name: "Bad", Value: func(*shop) (types.AttributeValue, error) { return nil, boom }})
	e = New(spec)
	_, err = e.Item(&s)
	assert.ErrorIs(t, err, boom)
	e.core.Key = func(any) (dynastay.Key, error) { return dynastay.Key{}, dynastay.Invalid("ID", "is required") }
	_, err = e.Item(&s)
	assert.ErrorIs(t, err, dynastay.ErrInvalid)
}
