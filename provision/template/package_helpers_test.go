package template_test

import "flag"

var templates = flag.String("templates", "", "a directory to write the templates to, which must exist")
