package users

// What the tests of stored forms need.
var (
	UserEntity     = newEntity(newEmailKeys(nil, nil))
	LoyaltyEntity  = loyaltyEntity
	WishlistEntity = wishlistEntity
)
