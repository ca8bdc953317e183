// A page that holds live parts: each is a place and its data.

for (const holder of document.querySelectorAll("script.live-data")) {
  const place = document.getElementById(holder.dataset.place);
  place.hidden = false;
  for (const link of document.querySelectorAll(".contents li[hidden]")) link.hidden = false;
  addSearches(document);
  startLive(place, JSON.parse(holder.textContent), steelyardMeasures);
}
