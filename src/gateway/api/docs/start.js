// Shows our own OpenAPI document. The address is relative, so the page also works behind a path prefix.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  defaultModelsExpandDepth: 0,
});
