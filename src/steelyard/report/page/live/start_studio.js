const holder = document.querySelector("script.live-data");
const stage = document.getElementById(holder.dataset.place);
stage.hidden = false;
startStudio(stage, JSON.parse(holder.textContent), steelyardMeasures);
