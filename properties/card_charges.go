package properties

import (
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/chargetext"
	"github.com/dynastay/dynastay/keys"
)

// The charges on a card are one text, because every search reads them, and a change writes all of them.
const (
	attrCardCharges = "Charges"
	maxCardCharges  = 600 // bytes as stored, with the name of the attribute
	unreadableText  = "?" // that no version of the library can read
)

// declareCardCharges stores the charges, with their ids instead of names. A list that cannot be read is neither an error, since
// the card is only a copy and nobody could read or change the property any more, nor left out: the property would be offered
// without its taxes. It is read as one from which no bill can be computed, and written as one that nobody can read. See
// docs/decisions/0027-stored-charges.md.
func declareCardCharges(f *entity.Fields, list **charges.List) {
	entity.Custom(f, attrCardCharges, list, storedCharges, chargesOfStored)
}

func storedCharges(l *charges.List) (types.AttributeValue, error) {
	if l == nil || len(l.Charges) == 0 {
		return nil, nil
	}
	text, err := chargetext.Text(l)
	if err != nil {
		text = unreadableText
	}
	return dynastay.Text(text), nil
}

func chargesOfStored(v dynastay.Value) (*charges.List, error) {
	l, err := chargetext.Parse(v.Text()) // "" if it is not a text
	if err != nil || len(l.Charges) == 0 {
		return unreadableCharges(), nil
	}
	return l, nil
}

// unreadableCharges returns a list that [charges.List.Validate] refuses: a charge has an id.
func unreadableCharges() *charges.List { return &charges.List{Charges: []charges.Charge{{}}} }

// checkCardCharges checks that charges can be on a card, and their size there.
func checkCardCharges(l *charges.List) error {
	text, err := chargetext.Text(l)
	if err != nil {
		return err
	}
	if size := len(attrCardCharges) + len(text); size > maxCardCharges {
		return dynastay.Invalid("Charges", "must have at most %d bytes on the property's card, without names, got %d; "+
			"use shorter ids, or fewer charges, brackets and conditions", maxCardCharges, size)
	}
	return nil
}

// adoptedCharges returns the charges for the card of a property that is being adopted, from their item. Charges from which
// nothing can be computed, or for which a card has no room, must not make the property cheaper: it is not offered with them.
func (r *Repository) adoptedCharges(row dynastay.Row) *charges.List {
	l, err := r.chargesEntity.Value(row)
	if err != nil || l.Validate() != nil || checkCardCharges(l) != nil {
		return unreadableCharges()
	}
	return l
}

// chargesOf returns the charges of a property's card, which stores its id with the key only.
func chargesOf(propertyID string, l *charges.List) *charges.List {
	if l == nil {
		return nil
	}
	return &charges.List{PropertyID: propertyID, Charges: slices.Clone(l.Charges)}
}

// isCharges reports whether a row of the partition of plans and charges is that of the charges.
func isCharges(row dynastay.Row) bool {
	_, err := keys.Parse[keys.PropertyCharges](keys.PropertiesTable.Key.From(row))
	return err == nil
}
