package properties

// What the tests of stored forms need.
var (
	PropertyEntity = propertyEntity
	RoomEntity     = roomEntity
)
