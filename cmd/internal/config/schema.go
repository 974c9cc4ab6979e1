package config

// Schema returns the JSON schema of the configuration.
func Schema() map[string]any {
	account := schemaProperties(AccountKeys())
	top := schemaProperties(TopLevelKeys())
	top["accounts"] = map[string]any{"type": "object", "propertyNames": map[string]any{"pattern": accountNamePattern},
		"additionalProperties": map[string]any{
			"type":                 "object",
			"additionalProperties": false,
			"required":             []string{"base_url"},
			"properties":           account,
		}}
	for _, t := range Tables() {
		top[t.Name] = t.schema
	}
	top["keys"] = map[string]any{
		"type":                 "object",
		"description":          KeysDescription,
		"additionalProperties": stringListSchema(),
	}
	return map[string]any{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "Configuration of lookout",
		"type":                 "object",
		"additionalProperties": false,
		"properties":           top,
	}
}

func stringListSchema() map[string]any {
	return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
}

func schemaProperties(settings []KeySpec) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		one := map[string]any{"type": "string"}
		switch s.value(s.in).(type) {
		case *bool:
			one = map[string]any{"type": "boolean"}
		case *[]string:
			one = stringListSchema()
			if len(s.choices) > 0 {
				one["items"] = map[string]any{"type": "string", "enum": s.choices}
			}
		}
		if one["type"] == "string" && len(s.choices) > 0 {
			one["enum"] = s.choices
		}
		one["description"] = s.Description
		out[s.Name] = one
	}
	return out
}
