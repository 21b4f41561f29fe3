package charges

// ListCodec is exported for the tests of the stored form.
var ListCodec = listCodec
