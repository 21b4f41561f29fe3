package properties

import (
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// Image is a picture of a property. The image itself is stored elsewhere, under its URL.
type Image struct {
	ID         string
	PropertyID string
	URL        string
	AltText    string
	Category   string // such as "exterior"
	Order      int    // images are listed in this order, then by id; changed by ArrangeImages
	Primary    bool   // true for one image of the property; changed by SetPrimaryImage

	CreatedAt time.Time `json:",omitzero"`
	UpdatedAt time.Time `json:",omitzero"` // changed only together with Version
	Version   int       // not changed by a new order or another primary image
}

var imageEntity = sync.OnceValue(func() *entity.Entity[Image] {
	return entity.New(entity.Spec[Image]{
		Name: "PropertyImage", Schema: keys.PropertiesTable, Validate: (*Image).Validate,
		ID: "ImageId", Prefix: "img_", Created: "CreatedAt", Updated: "UpdatedAt", Version: keys.AttrVersion,
		Kept: []string{"DisplayOrder", "IsPrimary"},
		Key: func(i *Image) (dynastay.Key, error) {
			return keys.Of(keys.Image{PropertyID: i.PropertyID, ImageID: i.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, i *Image) {
			f.Const(keys.AttrEntityType, "PropertyImage")
			// The document's example has no attribute for the property.
			entity.Custom(f, keys.PropertiesTable.Key.Partition, &i.PropertyID, partitionOf, propertyOf)
			f.String("ImageId", &i.ID)
			f.String("Url", &i.URL)
			f.String("AltText", &i.AltText)
			f.String("Category", &i.Category)
			f.Int("DisplayOrder", &i.Order)
			f.Bool("IsPrimary", &i.Primary)
			f.Time("CreatedAt", &i.CreatedAt)
			f.Time("UpdatedAt", &i.UpdatedAt)
			f.IfSet().Int(keys.AttrVersion, &i.Version)
		}),
	})
})

func partitionOf(propertyID string) (types.AttributeValue, error) {
	if propertyID == "" {
		return nil, nil
	}
	key, err := keys.Of(keys.Property{PropertyID: propertyID})
	return dynastay.Text(key.PK), err
}

func propertyOf(partition dynastay.Value) (string, error) {
	key, err := keys.Parse[keys.Property](dynastay.Key{PK: partition.Text(), SK: keys.SortKind[keys.Property]()})
	return key.PropertyID, err
}

// Validate checks the image without accessing the database. It requires ID and PropertyID, even though
// [Repository.AddImages] sets them. Its errors name the field. The URL has at most [entity.MaxURL] bytes, AltText
// [entity.MaxNote] bytes and Category [entity.MaxName] bytes.
func (i *Image) Validate() error {
	if _, err := keys.Of(keys.Property{PropertyID: i.PropertyID}); err != nil {
		return err
	}
	if _, err := keys.Of(keys.Image{PropertyID: i.PropertyID, ImageID: i.ID}); err != nil {
		return renamed("ID", err)
	}
	if strings.TrimSpace(i.URL) == "" {
		return dynastay.Invalid("URL", "is required")
	}
	if i.Order < 0 {
		return dynastay.Invalid("Order", "must not be negative")
	}
	for _, text := range []struct {
		field, value string
		most         int
	}{{"URL", i.URL, entity.MaxURL}, {"AltText", i.AltText, entity.MaxNote}, {"Category", i.Category, entity.MaxName}} {
		if err := entity.CheckText(text.value, text.most); err != nil {
			return dynastay.Within(text.field, err)
		}
	}
	return nil
}
