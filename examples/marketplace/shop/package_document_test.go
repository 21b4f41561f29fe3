package shop_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/examples/marketplace/keys"
	"github.com/dynastay/dynastay/examples/marketplace/shop"
)

// The items as the marketplace document has them.
const (
	documentProduct = `{
		"PK": "SELLER#seller789", "SK": "PRODUCT#prod456", "entityType": "PRODUCT", "productId": "prod456",
		"sellerId": "seller789", "sellerName": "Estcourt Building Supplies", "title": "Red Clay Bricks",
		"description": "High-quality fired clay bricks...", "category": "Bricks", "subcategory": "Clay Bricks",
		"price": 5.50, "unit": "per brick", "currency": "ZAR", "stock": 10000, "minOrder": 100,
		"images": ["s3://khaya-products/seller789/prod456-1.jpg", "s3://khaya-products/seller789/prod456-2.jpg"],
		"specifications": {"dimensions": "220x110x75mm", "weight": "3.2kg", "color": "Red"},
		"delivery": {"available": true, "cost": 500, "freeOver": 5000}, "status": "ACTIVE",
		"createdAt": "2024-08-15T10:00:00Z", "updatedAt": "2025-01-20T09:00:00Z",
		"GSI3PK": "CATEGORY#Bricks", "GSI3SK": "PRICE#0005.50#PRODUCT#prod456"
	}`
	documentOrder = `{
		"PK": "ORDER#order789", "SK": "METADATA", "entityType": "ORDER", "orderId": "order789", "buyerId": "buyer123",
		"sellerId": "seller789",
		"items": [{"productId": "prod456", "title": "Red Clay Bricks", "quantity": 5000, "unitPrice": 5.50, "subtotal": 27500}],
		"totals": {"subtotal": 27500, "delivery": 500, "tax": 4200, "total": 32200, "currency": "ZAR"},
		"delivery": {"address": "123 Main St, Estcourt", "date": "2025-02-10", "instructions": "Call on arrival"},
		"status": "PENDING", "paymentStatus": "PENDING", "createdAt": "2025-01-21T11:00:00Z",
		"updatedAt": "2025-01-21T11:00:00Z", "GSI2PK": "STATUS#PENDING", "GSI2SK": "TIMESTAMP#2025-01-21T11:00:00Z"
	}`
)

// itemOf returns JSON as an item.
func itemOf(t *testing.T, text string) dynastay.Item {
	t.Helper()
	var value map[string]any
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	return storedValue(value).(*types.AttributeValueMemberM).Value
}

func storedValue(value any) types.AttributeValue {
	switch v := value.(type) {
	case string:
		return dynastay.Text(v)
	case bool:
		return &types.AttributeValueMemberBOOL{Value: v}
	case float64:
		text, _ := json.Marshal(v)
		return &types.AttributeValueMemberN{Value: string(text)}
	case []any:
		list := &types.AttributeValueMemberL{}
		for _, element := range v {
			list.Value = append(list.Value, storedValue(element))
		}
		return list
	case map[string]any:
		m := &types.AttributeValueMemberM{Value: dynastay.Item{}}
		for name, element := range v {
			m.Value[name] = storedValue(element)
		}
		return m
	}
	return &types.AttributeValueMemberNULL{Value: true}
}

// other is a market with what other software has written.
func other(t *testing.T) *market {
	m := newMarket(t)
	m.put(itemOf(t, documentProduct), itemOf(t, documentOrder))
	return m
}

func TestTheDocumentsProduct(t *testing.T) {
	t.Parallel()
	m := other(t)
	p, err := m.repo.Product(t.Context(), "seller789", "prod456")
	require.NoError(t, err)
	assert.Equal(t, []any{"Red Clay Bricks", zar("5.50"), 10000, 100, shop.Active, 0}, []any{p.Title, p.Price, p.Stock, p.MinOrder, p.Status, p.Version})
	assert.Equal(t, shop.DeliveryTerms{Available: true, Cost: zar("500"), FreeOver: zar("5000")}, p.Delivery)
	assert.Equal(t, map[string]string{"dimensions": "220x110x75mm", "weight": "3.2kg", "color": "Red"}, p.Specifications)
	assert.Equal(t, []*shop.Product{p}, page(t, m.repo.Products("seller789")))
	offers := page(t, m.repo.InCategory("Bricks", "ZAR"))
	require.Len(t, offers, 1)
	assert.Equal(t, offerOf(p), offers[0])

	// An edit adopts it: the key is that of this package, and what it does not know stays.
	raw := itemOf(t, documentProduct)
	raw["rating"] = dynastay.Number(5)
	m.put(raw)
	_, err = m.repo.Update(t.Context(), "seller789", "prod456", func(p *shop.Product) error { p.Unit = "each"; return nil })
	require.NoError(t, err)
	now := m.row("SELLER#seller789", "PRODUCT#prod456").Item()
	want := maps.Clone(raw)
	want["unit"], want["version"] = dynastay.Text("each"), dynastay.Number(1)
	want["updatedAt"], want["GSI3SK"] = dynastay.Instant(base), dynastay.Text("PRICE#000000000005.500#PRODUCT#prod456")
	want[keys.AttrWriteID] = now[keys.AttrWriteID]
	assert.Equal(t, want, now)
	assert.NotNil(t, now[keys.AttrWriteID])
}

// What this package writes is what the document has, attribute by attribute.
func TestTheDocumentsItemsAreWrittenAsTheyAre(t *testing.T) {
	t.Parallel()
	m := other(t)
	p, err := m.repo.Product(t.Context(), "seller789", "prod456")
	require.NoError(t, err)
	o, err := m.repo.Order(t.Context(), "order789")
	require.NoError(t, err)
	written := newMarket(t, dyntest.At(p.CreatedAt))
	seller789(written)
	_, err = written.repo.Create(t.Context(), *p)
	require.NoError(t, err)
	equalItems(t, itemOf(t, documentProduct), written.row("SELLER#seller789", "PRODUCT#prod456").Item(),
		map[string]string{"updatedAt": "2024-08-15T10:00:00Z", "GSI3SK": "PRICE#000000000005.500#PRODUCT#prod456"})
	written.Clock.Set(o.CreatedAt)
	_, err = written.repo.Place(t.Context(), *o)
	require.NoError(t, err)
	equalItems(t, itemOf(t, documentOrder), written.row("ORDER#order789", "METADATA").Item(), map[string]string{
		"GSI2PK": "STATUS#PENDING#ORDER", "GSI2SK": "TIMESTAMP#2025-01-21T11:00:00Z#ORDER#order789",
	})
	for _, userID := range []string{"buyer123", "seller789"} {
		assert.Equal(t, dynastay.Item{
			"PK": dynastay.Text("USER#" + userID), "SK": dynastay.Text("ORDER#2025-01-21T11:00:00Z#order789"),
			"entityType": dynastay.Text("USER_ORDER"),
		}, written.row("USER#"+userID, "ORDER#2025-01-21T11:00:00Z#order789").Item())
	}
}

// equalItems compares an item of the document with what was written; texts are those that differ, as settled.
func equalItems(t *testing.T, want, got dynastay.Item, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		want[name] = dynastay.Text(text)
	}
	want["version"], want[keys.AttrWriteID] = dynastay.Number(1), got[keys.AttrWriteID]
	assert.Equal(t, want, got)
	assert.NotNil(t, got[keys.AttrWriteID])
}

// A status that a product has already adopts it, and nothing else is written. Orders and Restock do not adopt.
func TestAdoptingAProduct(t *testing.T) {
	t.Parallel()
	m := other(t)
	require.NoError(t, m.repo.Restock(t.Context(), "seller789", "prod456", 1))
	assert.Equal(t, "PRICE#0005.50#PRODUCT#prod456", m.row("SELLER#seller789", "PRODUCT#prod456").Text("GSI3SK"))
	p, err := m.repo.Activate(t.Context(), "seller789", "prod456")
	require.NoError(t, err)
	assert.NotEmpty(t, p.WriteID)
	row := m.row("SELLER#seller789", "PRODUCT#prod456")
	assert.Equal(t, "PRICE#000000000005.500#PRODUCT#prod456", row.Text("GSI3SK"))
	assert.Equal(t, []any{"2025-01-20T09:00:00Z", 0, 10001}, []any{row.Text("updatedAt"), row.Int("version"), row.Int("stock")})
	stop := m.Faults.Record()
	_, err = m.repo.Activate(t.Context(), "seller789", "prod456")
	require.NoError(t, err)
	assert.Len(t, stop(), 1, "nothing to write")
	p, err = m.repo.Deactivate(t.Context(), "seller789", "prod456")
	require.NoError(t, err)
	assert.Equal(t, 1, p.Version)
	row = m.row("SELLER#seller789", "PRODUCT#prod456")
	assert.True(t, row.Value("GSI3PK").IsNull())
	assert.Equal(t, "INACTIVE", row.Text("status"))
}

// Every change of a status adopts an order: it gets the keys of this package, and the items that list it.
func TestTheDocumentsOrder(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*market) (*shop.Order, error){
		"confirmed": func(m *market) (*shop.Order, error) { return m.repo.Confirm(m.t.Context(), "order789") },
		"cancelled": func(m *market) (*shop.Order, error) {
			return m.repo.Cancel(m.t.Context(), shop.Cancellation{OrderID: "order789", By: "buyer123"})
		},
		"paid": func(m *market) (*shop.Order, error) { return m.repo.SetPayment(m.t.Context(), "order789", shop.Paid) },
		"as paid": func(m *market) (*shop.Order, error) {
			return m.repo.SetPayment(m.t.Context(), "order789", shop.PaymentPending)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := other(t)
			raw := itemOf(t, documentOrder)
			raw["note"], raw["cancelReason"] = dynastay.Text("unknown"), dynastay.NullValue().Stored()
			m.put(raw)
			o, err := m.repo.Order(t.Context(), "order789")
			require.NoError(t, err)
			assert.Equal(t, []shop.Item{{ProductID: "prod456", Title: "Red Clay Bricks", Quantity: 5000, UnitPrice: zar("5.50"), Subtotal: zar("27500")}}, o.Items)
			assert.Equal(t, shop.Totals{Subtotal: zar("27500"), Delivery: zar("500"), Tax: zar("4200"), Total: zar("32200")}, o.Totals)
			assert.Equal(t, shop.Destination{Address: "123 Main St, Estcourt", Date: dynastay.MustDate("2025-02-10"), Instructions: "Call on arrival"}, o.Delivery)
			assert.NoError(t, o.Validate())
			assert.Empty(t, page(t, m.repo.OrdersByStatus(shop.Pending)))
			assert.Empty(t, page(t, m.repo.OrdersOf("buyer123")))

			changed, err := change(m)
			require.NoError(t, err)
			for _, list := range []dynastay.List[*shop.Order]{
				m.repo.OrdersOf("buyer123"), m.repo.OrdersOf("seller789"), m.repo.OrdersByStatus(changed.Status),
			} {
				assert.Equal(t, []*shop.Order{changed}, page(t, list))
			}
			now := m.row("ORDER#order789", "METADATA")
			assert.Equal(t, "STATUS#"+string(changed.Status)+"#ORDER", now.Text("GSI2PK"))
			for name, value := range raw {
				switch name {
				case "status", "paymentStatus", "updatedAt", "GSI2PK", "GSI2SK", "cancelReason":
				default:
					assert.Equal(t, value, now.Item()[name], name)
				}
			}
			if changed.Status == shop.Cancelled {
				assert.Equal(t, 15000, m.row("SELLER#seller789", "PRODUCT#prod456").Int("stock"))
			}
			stop := m.Faults.Record()
			_, err = m.repo.SetPayment(t.Context(), "order789", shop.PaymentFailed)
			if name != "paid" {
				require.NoError(t, err)
				sent := stop()
				require.Len(t, sent, 2)
				assert.Equal(t, "UpdateItem", sent[1].Operation, "an order that is listed is not listed again")
			}
		})
	}
}

func seller789(m *market) {
	p, err := m.users.Profile(m.t.Context(), seller)
	require.NoError(m.t, err)
	p.ID = "seller789"
	m.signUp(*p)
}

func offerOf(p *shop.Product) *shop.Offer {
	return &shop.Offer{
		ID: p.ID, SellerID: p.SellerID, SellerName: p.SellerName, Title: p.Title, Category: p.Category, Subcategory: p.Subcategory,
		Price: p.Price, Unit: p.Unit, MinOrder: p.MinOrder, Images: p.Images, Specifications: p.Specifications,
		Delivery: p.Delivery, CreatedAt: p.CreatedAt,
	}
}
