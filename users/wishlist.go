package users

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/internal/keytext"
	"github.com/dynastay/dynastay/keys"
)

// Wishlist is a named list of properties that a user is interested in.
type Wishlist struct {
	ID          string
	UserID      string
	Name        string
	Public      bool      // others may see it too, see [Repository.PublicWishlist]
	PropertyIDs []string  `json:",omitzero"` // in the order in which they were added
	CreatedAt   time.Time `json:",omitzero"`
	UpdatedAt   time.Time `json:",omitzero"`
	Version     int
}

// MaxWishlist is the maximum number of properties in one wishlist.
const MaxWishlist = 500

const attrPropertyIDs = "PropertyIds"

var wishlistEntity = entity.New(entity.Spec[Wishlist]{
	Name: "Wishlist", Operations: "wishlists", Schema: keys.MetadataTable, Validate: (*Wishlist).Validate,
	ID: "WishlistId", Prefix: "wl_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
	Kept: []string{attrPropertyIDs},
	Key: func(w *Wishlist) (dynastay.Key, error) {
		return keys.Of(keys.Wishlist{UserID: w.UserID, WishlistID: w.ID})
	},
	IDOf: func(k dynastay.Key) string { return strings.TrimPrefix(k.SK, keys.SortKind[keys.Wishlist]()) },
	Codec: entity.Declare(func(f *entity.Fields, w *Wishlist) {
		f.Const(keys.AttrEntityType, "Wishlist")
		f.String("WishlistId", &w.ID)
		f.String("UserId", &w.UserID)
		f.String("Name", &w.Name)
		entity.Custom(f, "IsPrivate", &w.Public, isPrivate, isPublic)
		f.Strings(attrPropertyIDs, &w.PropertyIDs)
		f.Time("CreatedAt", &w.CreatedAt)
		f.Time("UpdatedAt", &w.UpdatedAt)
		f.IfSet().Int(keys.AttrVersion, &w.Version)
	}),
	Agreed: func(in *dynastay.Input, w *Wishlist) {
		in.Field("id", w.ID)
		in.Field("user", w.UserID)
		in.Field("name", w.Name)
		in.Field("public", strconv.FormatBool(w.Public))
		for _, id := range w.PropertyIDs {
			in.Field("property", id)
		}
	},
})

// isPrivate and isPublic convert Public to the stored form and back. A list for which other software has stored neither
// is private.
func isPrivate(public bool) (types.AttributeValue, error) {
	return &types.AttributeValueMemberBOOL{Value: !public}, nil
}

func isPublic(v dynastay.Value) (bool, error) {
	stored, ok := v.Stored().(*types.AttributeValueMemberBOOL)
	if !ok {
		return false, fmt.Errorf("must be %s, got %s", dynastay.KindBool, v.Kind())
	}
	return !stored.Value, nil
}

// Validate requires a name of at most [entity.MaxName] bytes. It does not check the properties, which only a creation
// and [Repository.AddToWishlist] set: other software may have stored a list that they would refuse.
func (w *Wishlist) Validate() error {
	if strings.TrimSpace(w.Name) == "" {
		return dynastay.Invalid("Name", "is required")
	}
	return dynastay.Within("Name", entity.CheckText(w.Name, entity.MaxName))
}

// validateProperties checks the properties of a new wishlist.
func (w *Wishlist) validateProperties() error {
	if len(w.PropertyIDs) > MaxWishlist {
		return tooManyProperties()
	}
	for i, id := range w.PropertyIDs {
		field := "PropertyIDs[" + strconv.Itoa(i) + "]"
		if err := checkPropertyID(field, id); err != nil {
			return err
		}
		if slices.Contains(w.PropertyIDs[:i], id) {
			return dynastay.Invalid(field, "appears more than once")
		}
	}
	return nil
}

func tooManyProperties() error {
	return dynastay.Invalid("PropertyIDs", "must have at most %d entries", MaxWishlist)
}

// checkPropertyID returns an error for the field if an id cannot be that of a property.
func checkPropertyID(field, id string) error {
	if err := keytext.CheckID(id); err != nil {
		return dynastay.Invalid(field, "%s", err)
	}
	return nil
}
