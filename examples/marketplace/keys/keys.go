// Package keys defines the table of the marketplace, its indexes and its keys. Package key of this module has the
// guarantees of all keys.
//
//	Table
//	  items  Profile, Skill, CognitoGuard, EmailGuard, PhoneGuard, Review, Conversation, Message
//	         Project, Bid, Rejecting, Product, Order, UserProject, UserBid, UserOrder
//	  GSI1   ProfileByCity, SkillByCity
//	  GSI2   ProfileByPlace, SkillByPlace, ProjectByStatus, BidByStatus, OrderByStatus, RejectingByTime, Inbox
//	  GSI3   ProductByPrice, ProductByPriceIn
//
// # How the keys differ from the marketplace document
//
// The marketplace document is a design document that is not part of this repository. These keys differ from it:
//
//   - Bids and orders have partitions of their own in GSI2, STATUS#{Status}#BID and STATUS#{Status}#ORDER: in one
//     partition, whoever wants the pending bids reads all pending orders as well. Sort keys by time end in the id,
//     because several items may have one time.
//   - A price in a key has 12 digits and 3 decimal places: as text, 10000.00 sorts before 9.00. Prices in other
//     currencies than ZAR have partitions of their own, because they are not comparable.
//   - Items that it does not have: guards of sign-in ids, e-mail addresses and phone numbers; Skill, so that workers are
//     found by what they can do; UserProject, UserBid and UserOrder, which list what belongs to a user; Rejecting, for
//     an acceptance whose other bids are not all rejected yet; Conversation, one for each side.
//   - GSI2 also has the rows of users by place, for searches within a radius.
//   - The smaller id of a conversation comes first. Its two directions would otherwise be two conversations.
//   - The time of a message may have milliseconds, see [Message].
//   - The partitions of a status, a role, a skill and a category may be sharded.
package keys

import "github.com/dynastay/dynastay"

// The indexes of [Table].
const (
	Index1 = "GSI1"
	Index2 = "GSI2"
	Index3 = "GSI3"
)

// The attributes that the schema names.
const (
	AttrTTL     = "ttl"
	AttrWriteID = "writeId" // see [dynastay.WriteID]
)

// Table contains everything of the marketplace. It is also the table of its idempotency keys: set Options.Idempotency
// of package dynastay to it.
//
// GSI3 does not contain the stock of a product, nor when it was changed: every sale would cost a write unit more.
var Table = &dynastay.Schema{
	Name: "ProjectKhaya",
	Key:  dynastay.KeyNames{Partition: "PK", Sort: "SK"},
	Indexes: []dynastay.Index{
		{Name: Index1, Key: dynastay.KeyNames{Partition: "GSI1PK", Sort: "GSI1SK"}, Project: dynastay.ProjectAll},
		{Name: Index2, Key: dynastay.KeyNames{Partition: "GSI2PK", Sort: "GSI2SK"}, Project: dynastay.ProjectAll},
		{
			Name: Index3, Key: dynastay.KeyNames{Partition: "GSI3PK", Sort: "GSI3SK"}, Project: dynastay.ProjectInclude,
			Include: []string{
				"entityType", "productId", "sellerId", "sellerName", "title", "category", "subcategory", "price", "unit",
				"currency", "minOrder", "images", "specifications", "delivery", "status", "createdAt",
			},
		},
	},
	TTL:     AttrTTL,
	WriteID: AttrWriteID,
	Stream:  true,
}
