package users

// UserEntity is what the tests of stored forms need.
var UserEntity = newEntity(newEmailKeys(nil, nil))
